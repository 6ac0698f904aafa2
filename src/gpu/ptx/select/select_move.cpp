// Moves and conversions.
#include "gpu/ptx/select/selector.h"

#include <algorithm>
#include <array>

namespace kymo::gpu::ptx {

bool Selector::move() {
    const Operand& to = operand(0);
    const Operand& what = operand(1);
    if (operands() != 2 || !only({})) {
        return refuse();
    }
    if (type() == Type::kPredicate) {
        draft_.op.flags = 0;
        return predicate_into(kD, to) && predicate_from(kA, what, 1) && predicate_from(kB, what, 2) &&
               finish(Operation::kPredicateMove);
    }
    const unsigned bits = 8 * bytes(type());
    Pick& pick = draft_.pick;
    const auto parts = [&](const Operand& list, const std::array<std::uint8_t, 4>& places, bool writes) {
        pick.result_bits = bits;
        pick.source_bits = list.count == 0 ? 0 : bits / list.count;
        if (list.count < 2 || list.count > 4 || bits % list.count != 0) {
            return refuse();
        }
        for (std::uint8_t k = 0; k < list.count; ++k) {
            const Operand& part = function_.elements[list.number + k];
            const unsigned held = std::max(16U, pick.source_bits);
            if (!(writes ? into(places[k], part, held) : from(places[k], part, held))) {
                return false;
            }
        }
        return true;
    };
    if (what.kind == Operand::Kind::kVector) {
        pick.type = Type::kNone;
        return into(kD, to, bits) && parts(what, {kA, kB, kC, kMore0}, false) && finish(Operation::kPack);
    }
    if (to.kind == Operand::Kind::kVector) {
        pick.type = Type::kNone;
        return from(kA, what, bits) && parts(to, {kD, kMore0, kMore1, kMore2}, true) && finish(Operation::kUnpack);
    }
    if (what.kind == Operand::Kind::kSpecial) {
        const std::string_view word = module_.names[what.number];
        if (word == "%clock" || word == "%clock64" || word == "%globaltimer" || word == "%globaltimer_lo") {
            draft_.op.mode = {.wide = bits == 64};
            return into(kD, to, bits) && finish(Operation::kClock);
        }
    }
    return into(kD, to, bits) && from(kA, what, bits) && finish(Operation::kMove);
}

// cvt.rn.satfinite.e4m3x2.f32 d, a, b; cvt.rn.satfinite.e5m2x2.f16x2 d, a; cvt.rn.f16x2.e4m3x2 d, a;
bool Selector::convert_eight_bits() {
    const bool joins = type(1) == Type::kF32;
    const bool widens = type(0) == Type::kF16x2;
    draft_.pick.source = type(1);
    return types_.size() == 2 && operands() == (joins ? 3U : 2U) && has("rn") && has("satfinite") != widens &&
           only({"rn", "satfinite", "relu"}) && into(kD, operand(0), widens ? 32 : 16) &&
           from(kA, operand(1), widens ? 16 : 32) && (!joins || from(kB, operand(2), 32)) &&
           finish(Operation::kConvertPair);
}

bool Selector::convert() {
    if (has("tf32")) {
        return convert_to_tf32();
    }
    Pick& pick = draft_.pick;
    const auto is_eight_bits = [&](std::size_t which) {
        return type(which) == Type::kE4m3x2 || type(which) == Type::kE5m2x2;
    };
    if (is_eight_bits(0) || is_eight_bits(1)) {
        return convert_eight_bits();
    }
    const bool joins = type() == Type::kF16x2 || type() == Type::kBf16x2;
    if (types_.size() != 2 || operands() != (joins ? 3U : 2U) ||
        !only({"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi", "ftz", "sat", "satfinite", "relu"})) {
        return refuse();
    }
    pick.source = types_[1];
    if (joins) {
        if (!into(kD, operand(0), 32) || !from(kA, operand(1), 32) || !from(kB, operand(2), 32)) {
            return false;
        }
        return finish(Operation::kConvertPair);
    }
    if (bytes(type()) == 0 || bytes(pick.source) == 0) {
        return refuse();
    }
    // Registers may be wider than the types.
    pick.result_bits = bits_of(operand(0));
    pick.source_bits =
        operand(1).kind == Operand::Kind::kRegister ? bits_of(operand(1)) : std::max(16U, 8 * bytes(pick.source));
    if (pick.result_bits < 8 * bytes(type()) || pick.source_bits < 8 * bytes(pick.source)) {
        return refuse();
    }
    const Type result = pick.type;
    pick.type = pick.source;  // a constant is the source's
    if (!into(kD, operand(0), pick.result_bits) || !from(kA, operand(1), pick.source_bits)) {
        return false;
    }
    pick.type = result;
    Op& op = draft_.op;
    const bool from_float = is_float(pick.source);
    const bool to_float = is_float(result);
    op.flags = static_cast<std::uint8_t>(op.flags | (is_signed(pick.source) && !from_float ? kSignFlag : 0) |
                                         (pick.to_integer && to_float ? kWholeFlag : 0));
    if (to_float) {
        if (!from_float) {
            op.count = static_cast<std::uint8_t>(8 * bytes(pick.source));
        }
        return finish(Operation::kConvert);
    }
    // A whole number: flag 2 says that it is signed, in whole() and in float_to_whole().
    op.flags = static_cast<std::uint8_t>((op.flags & ~2U) | (is_signed(result) ? 2U : 0U));
    if (from_float) {
        op.count = static_cast<std::uint8_t>(8 * bytes(result));
        pick.saturate = false;  // it is in any case
    } else {
        op.count = static_cast<std::uint8_t>(8 * bytes(pick.source));
        op.mode = {.width = static_cast<std::uint8_t>(8 * bytes(result))};
    }
    return finish(Operation::kConvert);
}

}  // namespace kymo::gpu::ptx
