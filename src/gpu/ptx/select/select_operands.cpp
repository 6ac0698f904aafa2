// Operands: registers, constants, special registers and addresses into the places of an operation.
#include "gpu/ptx/select/selector.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>

namespace kymo::gpu::ptx {

const Operand& Selector::operand(std::size_t which) const {
    static const Operand absent;
    return which < instruction_->operands.size() ? instruction_->operands[which] : absent;
}

unsigned Selector::bits_of(const Operand& wanted) const {
    if (wanted.kind != Operand::Kind::kRegister) {
        return 0;
    }
    const Type held = function_.registers[wanted.number].type;
    return held == Type::kPredicate ? 1 : std::max(16U, 8 * bytes(held));
}

bool Selector::into(std::uint8_t place, const Operand& wanted, unsigned bits) {
    if (wanted.kind == Operand::Kind::kSink) {
        return true;
    }
    if (bits_of(wanted) != bits) {
        return refuse(fmt::format("its result is not a register of {} bits", bits));
    }
    draft_.slots[place] = {Slot::Kind::kRegister, true, static_cast<std::uint8_t>(bits), wanted.number, 0};
    return true;
}

std::uint32_t Selector::preset(const Preset& wanted) {
    const std::string key = fmt::format("{} {} {} {} {} {} {}", static_cast<int>(wanted.kind), wanted.bits,
                                        wanted.bytes, wanted.is_signed, wanted.offset, wanted.special, wanted.addend);
    const auto next = static_cast<std::uint32_t>(function_.registers.size() + out_.presets.size());
    const auto [at, is_new] = presets_.try_emplace(key, next);
    if (is_new) {
        out_.presets.push_back(wanted);
    }
    return at->second;
}

bool Selector::special(const Operand& wanted, unsigned bits, Slot& slot) {
    static constexpr std::array<std::string_view, 24> kKnown = {"%tid.x",
                                                                "%tid.y",
                                                                "%tid.z",
                                                                "%ntid.x",
                                                                "%ntid.y",
                                                                "%ntid.z",
                                                                "%ctaid.x",
                                                                "%ctaid.y",
                                                                "%ctaid.z",
                                                                "%nctaid.x",
                                                                "%nctaid.y",
                                                                "%nctaid.z",
                                                                "%laneid",
                                                                "%warpid",
                                                                "%nwarpid",
                                                                "%smid",
                                                                "%nsmid",
                                                                "%lanemask_eq",
                                                                "%lanemask_le",
                                                                "%lanemask_lt",
                                                                "%lanemask_ge",
                                                                "%lanemask_gt",
                                                                "%dynamic_smem_size",
                                                                "%total_smem_size"};
    const std::string_view word = module_.names[wanted.number];
    const auto known = std::find(kKnown.begin(), kKnown.end(), word);
    if (known == kKnown.end()) {
        return refuse(fmt::format("{} is not known", word));
    }
    Preset made;
    made.kind = Preset::Kind::kSpecial;
    made.bits = static_cast<std::uint8_t>(bits);
    made.special = *known;
    slot = {Slot::Kind::kRegister, false, static_cast<std::uint8_t>(bits), preset(made), 0};
    return true;
}

// The address of a variable, in its own space: known now, or when the kernel starts.
bool Selector::address_of(const Operand& wanted, unsigned bits, Slot& slot) {
    Preset made;
    made.bits = static_cast<std::uint8_t>(bits);
    made.addend = wanted.offset;
    const auto when_it_starts = [&](std::string_view special, std::uint64_t further) {
        made.special = special;
        made.addend += static_cast<std::int64_t>(further);
        slot = {Slot::Kind::kRegister, false, made.bits, preset(made), 0};
        return true;
    };
    if (wanted.kind == Operand::Kind::kParameter) {
        return function_.is_kernel ? when_it_starts("%parameters", function_.parameters[wanted.number].offset)
                                   : refuse("the address of a device function's parameter");
    }
    const bool own = wanted.number < Operand::kModuleVariable;
    const std::uint32_t number = own ? wanted.number : wanted.number - Operand::kModuleVariable;
    const Variable& variable = own ? function_.variables[number] : module_.variables[number];
    const std::uint64_t begin = own ? layout_.variables[number] : variables_.variables[number];
    if (variable.space == StateSpace::kParameter) {
        return refuse("the address of a parameter");
    }
    if (variable.space == StateSpace::kShared && variable.bytes == 0) {
        return when_it_starts("%dynamic_shared", 0);
    }
    if (variable.space == StateSpace::kLocal) {
        return when_it_starts("%local", begin);
    }
    const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    slot = {Slot::Kind::kConstant, false, made.bits, 0, (begin + static_cast<std::uint64_t>(wanted.offset)) & mask};
    return variable.space == StateSpace::kShared || (own ? false : begin != 0) ||
           refuse(variable.name + " has no address here");
}

bool Selector::from(std::uint8_t place, const Operand& wanted, unsigned bits) {
    Slot& slot = draft_.slots[place];
    const auto narrow = static_cast<std::uint8_t>(bits);
    const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    switch (wanted.kind) {
        case Operand::Kind::kRegister:
            if (bits_of(wanted) != bits) {
                return refuse(fmt::format("an operand is not a register of {} bits", bits));
            }
            slot = {Slot::Kind::kRegister, false, narrow, wanted.number, 0};
            return true;
        case Operand::Kind::kInteger:
            slot = {Slot::Kind::kConstant, false, narrow, 0, wanted.value & mask};
            if (draft_.pick.type == Type::kF32 || draft_.pick.type == Type::kF64) {
                return refuse("a whole number stands for a floating-point one");
            }
            return true;
        case Operand::Kind::kFloat32:
            slot = {Slot::Kind::kConstant, false, narrow, 0,
                    bits == 64 ? std::bit_cast<std::uint64_t>(static_cast<double>(
                                     std::bit_cast<float>(static_cast<std::uint32_t>(wanted.value))))
                               : wanted.value};
            return true;
        case Operand::Kind::kFloat:
            slot = {Slot::Kind::kConstant, false, narrow, 0,
                    bits == 32 ? std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(wanted.value)))
                               : wanted.value};
            return true;
        case Operand::Kind::kSpecial:
            return special(wanted, bits, slot);
        case Operand::Kind::kFunction:
            slot = {Slot::Kind::kConstant, false, narrow, 0, kFunctionWindow + kFunctionStride * wanted.number};
            return bits == 64 || refuse("an address of a function in fewer than 64 bits");
        case Operand::Kind::kVariable:
        case Operand::Kind::kParameter:
            return address_of(wanted, bits, slot);
        default:
            return refuse("an operand is missing or of an unknown kind");
    }
}

bool Selector::predicate_into(std::uint8_t place, const Operand& wanted) {
    return into(place, wanted, 1);
}

bool Selector::predicate_from(std::uint8_t place, const Operand& wanted, std::uint8_t negated_flag) {
    if (wanted.kind == Operand::Kind::kInteger) {
        draft_.slots[place] = {Slot::Kind::kConstant, false, 1, 0, wanted.value != 0 ? kAllLanes : 0U};
        return true;
    }
    if (bits_of(wanted) != 1) {
        return refuse("an operand is not a predicate");
    }
    draft_.slots[place] = {Slot::Kind::kRegister, false, 1, wanted.number, 0};
    draft_.op.flags = static_cast<std::uint8_t>(draft_.op.flags | (wanted.negated ? negated_flag : 0));
    return true;
}

}  // namespace kymo::gpu::ptx
