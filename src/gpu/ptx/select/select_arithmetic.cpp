// Arithmetic, logic and comparisons.
#include "gpu/ptx/select/selector.h"

#include <algorithm>
#include <unordered_map>

namespace kymo::gpu::ptx {
namespace {

Type widened(Type type) {
    switch (type) {
        case Type::kU16:
            return Type::kU32;
        case Type::kS16:
            return Type::kS32;
        case Type::kU32:
            return Type::kU64;
        case Type::kS32:
            return Type::kS64;
        default:
            return Type::kNone;
    }
}

struct Simple {
    Operation operation;
    std::size_t sources;
};

const std::unordered_map<std::string_view, Simple>& simple_ones() {
    static const std::unordered_map<std::string_view, Simple> known = {
        {"add", {Operation::kAdd, 2}},
        {"sub", {Operation::kSub, 2}},
        {"div", {Operation::kDivide, 2}},
        {"rem", {Operation::kRemainder, 2}},
        {"abs", {Operation::kAbsolute, 1}},
        {"neg", {Operation::kNegate, 1}},
        {"min", {Operation::kLeast, 2}},
        {"max", {Operation::kGreatest, 2}},
        {"fma", {Operation::kFma, 3}},
        {"sad", {Operation::kSad, 3}},
        {"rcp", {Operation::kReciprocal, 1}},
        {"sqrt", {Operation::kSquareRoot, 1}},
        {"rsqrt", {Operation::kReciprocalRoot, 1}},
        {"sin", {Operation::kSine, 1}},
        {"cos", {Operation::kCosine, 1}},
        {"lg2", {Operation::kLog2, 1}},
        {"ex2", {Operation::kExp2, 1}},
        {"tanh", {Operation::kTanh, 1}},
        {"copysign", {Operation::kCopySign, 2}},
        {"brev", {Operation::kReverse, 1}},
        {"cnot", {Operation::kLogicNot, 1}},
    };
    return known;
}

}  // namespace

// d = f(a, b, c), all of one type. Missing sources repeat the first one, because handlers may read them.
bool Selector::simple(Operation operation, std::size_t sources, Words allowed) {
    const unsigned bits = 8 * bytes(type());
    if (bits < 16 || operands() != sources + 1 || types_.size() != 1 || !only(allowed)) {
        return refuse();
    }
    if (!into(kD, operand(0), bits)) {
        return false;
    }
    for (std::size_t i = 0; i < 3; ++i) {
        if (!from(static_cast<std::uint8_t>(kA + i), operand(i < sources ? i + 1 : 1), bits)) {
            return false;
        }
    }
    return finish(operation);
}

bool Selector::multiply(bool adds) {
    const std::size_t sources = adds ? 3 : 2;
    if (is_float(type())) {
        return simple(adds ? Operation::kFma : Operation::kMul, sources,
                      {"rn", "rz", "rm", "rp", "ftz", "sat", "relu"});
    }
    const unsigned bits = 8 * bytes(type());
    const bool wide = has("wide");
    const unsigned result_bits = wide ? 2 * bits : bits;
    if (operands() != sources + 1 || types_.size() != 1 || !only({"lo", "hi", "wide", "sat"}) || bits == 0 ||
        (wide && widened(type()) == Type::kNone)) {
        return refuse();
    }
    if (!into(kD, operand(0), result_bits) || !from(kA, operand(1), bits) || !from(kB, operand(2), bits)) {
        return false;
    }
    if (adds ? !from(kC, operand(3), result_bits) : false) {
        return false;
    }
    if (name_ == "mul24" || name_ == "mad24") {
        if (has("sat") || bits != 32 || (!adds && !from(kC, operand(1), 32))) {
            return refuse();
        }
        draft_.op.mode = {.product24 = {.adds = adds, .upper = has("hi")}};
        return finish(Operation::kMul24);
    }
    if (has("sat") && !(adds && has("hi") && type() == Type::kS32)) {
        return refuse();
    }
    return finish(wide        ? (adds ? Operation::kMadWide : Operation::kMulWide)
                  : has("hi") ? (adds ? Operation::kMadHigh : Operation::kMulHigh)
                              : (adds ? Operation::kMad : Operation::kMul));
}

// setp.lt.and.s32 p|q, a, b, r; set.lt.u32.f32 d, a, b;
bool Selector::compare(bool is_set) {
    Pick& pick = draft_.pick;
    pick.source = types_.empty() ? Type::kNone : types_.back();
    if (types_.size() != (is_set ? 2U : 1U)) {
        return refuse();
    }
    static const std::unordered_map<std::string_view, Compare> names = {
        {"eq", Compare::kEq},   {"ne", Compare::kNe},   {"lt", Compare::kLt},   {"le", Compare::kLe},
        {"gt", Compare::kGt},   {"ge", Compare::kGe},   {"lo", Compare::kLt},   {"ls", Compare::kLe},
        {"hi", Compare::kGt},   {"hs", Compare::kGe},   {"equ", Compare::kEqu}, {"neu", Compare::kNeu},
        {"ltu", Compare::kLtu}, {"leu", Compare::kLeu}, {"gtu", Compare::kGtu}, {"geu", Compare::kGeu},
        {"num", Compare::kNum}, {"nan", Compare::kNan}};
    bool found = false;
    for (const std::uint32_t modifier : instruction_->modifiers) {
        if (const auto known = names.find(module_.names[modifier]); known != names.end()) {
            pick.compare = known->second;
            found = true;
        }
    }
    if (!found || !only({"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi", "hs",  "equ",
                         "neu", "ltu", "leu", "gtu", "geu", "num", "nan", "and", "or", "xor", "ftz"})) {
        return refuse();
    }
    const unsigned bits = 8 * bytes(pick.source);
    draft_.pick.type = pick.source;  // of the operands
    if (!from(kA, operand(1), bits) || !from(kB, operand(2), bits)) {
        return false;
    }
    draft_.op.flags = 0;
    const auto join = [&] {  // with a third predicate
        const Combine combine = has("and")   ? Combine::kAnd
                                : has("or")  ? Combine::kOr
                                : has("xor") ? Combine::kXor
                                             : Combine::kNone;
        draft_.op.mode = {.combine = combine};
        return combine == Combine::kNone ? operands() == 3 : operands() == 4 && predicate_from(kC, operand(3), 1);
    };
    if (is_set) {
        const bool is_pair = pick.source == Type::kF16x2 || pick.source == Type::kBf16x2;
        const Type result = type();
        const bool is_whole =
            result == Type::kU32 || result == Type::kS32 || result == Type::kU16 || result == Type::kS16;
        const bool fits = is_pair ? result == pick.source || (is_whole && bytes(result) == 4)
                                  : is_whole || result == Type::kF32 || result == Type::kF16 || result == Type::kBf16;
        if (!fits || !join()) {
            return refuse();
        }
        // 1.0, or all ones of what each comparison fills
        draft_.op.immediate = result == Type::kF32                               ? 0x3F80'0000
                              : result == Type::kF16 || result == Type::kF16x2   ? 0x3C00
                              : result == Type::kBf16 || result == Type::kBf16x2 ? 0x3F80
                              : is_pair                                          ? 0xFFFF
                                                                                 : 0xFFFF'FFFF;
        pick.result_bits = 8 * bytes(result);
        return into(kD, operand(0), pick.result_bits) && finish(Operation::kCompareSet);
    }
    if (!join()) {
        return refuse();
    }
    const Operand& result = operand(0);
    if (result.kind == Operand::Kind::kVector) {  // p|q
        if (!predicate_into(kD, function_.elements[result.number]) ||
            !predicate_into(kMore0, function_.elements[result.number + 1])) {
            return false;
        }
    } else if (!predicate_into(kD, result)) {
        return false;
    }
    return finish(Operation::kCompare);
}

bool Selector::logic(Operation operation, Operation on_predicates) {
    const bool unary = operation == Operation::kNot;
    if (type() != Type::kPredicate) {
        return simple(operation, unary ? 1 : 2, {});
    }
    draft_.op.flags = 0;
    return operands() == (unary ? 2U : 3U) && only({}) && predicate_into(kD, operand(0)) &&
           predicate_from(kA, operand(1), 1) && predicate_from(kB, operand(unary ? 1 : 2), 2) &&
           finish(on_predicates);
}

// Operations whose operands are not all of the operation's type.
bool Selector::bit_field() {
    const unsigned bits = 8 * bytes(type());
    const bool one_type = types_.size() == 1 && bits >= 16;
    if (name_ == "shl" || name_ == "shr") {
        return one_type && operands() == 3 && only({}) && into(kD, operand(0), bits) && from(kA, operand(1), bits) &&
               from(kB, operand(2), 32) && finish(name_ == "shl" ? Operation::kShiftLeft : Operation::kShiftRight);
    }
    if (name_ == "shf") {
        draft_.op.mode = {.clamps = has("clamp")};
        return one_type && operands() == 4 && only({"l", "r", "wrap", "clamp"}) && into(kD, operand(0), 32) &&
               from(kA, operand(1), 32) && from(kB, operand(2), 32) && from(kC, operand(3), 32) &&
               finish(has("l") ? Operation::kFunnelLeft : Operation::kFunnelRight);
    }
    if (name_ == "popc" || name_ == "clz" || name_ == "bfind") {
        draft_.op.mode = {.as_shift = has("shiftamt")};
        return one_type && operands() == 2 && only({"shiftamt"}) && into(kD, operand(0), 32) &&
               from(kA, operand(1), bits) &&
               finish(name_ == "popc"  ? Operation::kPopulation
                      : name_ == "clz" ? Operation::kLeadingZeros
                                       : Operation::kFindHigh);
    }
    if (name_ == "bfe") {
        return one_type && operands() == 4 && only({}) && into(kD, operand(0), bits) && from(kA, operand(1), bits) &&
               from(kB, operand(2), 32) && from(kC, operand(3), 32) && finish(Operation::kExtract);
    }
    if (name_ == "bfi") {
        return one_type && operands() == 5 && only({}) && into(kD, operand(0), bits) && from(kA, operand(1), bits) &&
               from(kB, operand(2), bits) && from(kC, operand(3), 32) && from(kMore0, operand(4), 32) &&
               finish(Operation::kInsert);
    }
    if (name_ == "bmsk") {
        draft_.op.mode = {.wraps = has("wrap")};
        return one_type && operands() == 3 && only({"wrap", "clamp"}) && into(kD, operand(0), 32) &&
               from(kA, operand(1), 32) && from(kB, operand(2), 32) && finish(Operation::kMask);
    }
    if (name_ == "szext") {
        draft_.op.mode = {.wraps = has("wrap")};
        return one_type && operands() == 3 && only({"wrap", "clamp"}) && into(kD, operand(0), 32) &&
               from(kA, operand(1), 32) && from(kB, operand(2), 32) && finish(Operation::kExtendSign);
    }
    if (name_ == "fns") {
        return one_type && operands() == 4 && only({}) && into(kD, operand(0), 32) && from(kA, operand(1), 32) &&
               from(kB, operand(2), 32) && from(kC, operand(3), 32) && finish(Operation::kFindNth);
    }
    if (name_ == "lop3") {
        if (operands() != 5 || operand(4).kind != Operand::Kind::kInteger || operand(4).value > 255) {
            return refuse();
        }
        draft_.op.mode = {.table = static_cast<std::uint8_t>(operand(4).value)};
        return one_type && only({}) && into(kD, operand(0), 32) && from(kA, operand(1), 32) &&
               from(kB, operand(2), 32) && from(kC, operand(3), 32) && finish(Operation::kLogic3);
    }
    if (name_ == "prmt") {
        static constexpr std::array<std::pair<std::string_view, Permutation>, 6> kNames = {
            {{"f4e", Permutation::kForward4},
             {"b4e", Permutation::kBackward4},
             {"rc8", Permutation::kReplicate8},
             {"ecl", Permutation::kClampLeft},
             {"ecr", Permutation::kClampRight},
             {"rc16", Permutation::kReplicate16}}};
        draft_.op.mode = {.permutation = Permutation::kSelector};
        for (const auto& [word, permutation] : kNames) {
            draft_.op.mode.permutation = has(word) ? permutation : draft_.op.mode.permutation;
        }
        return one_type && operands() == 4 && only({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}) &&
               into(kD, operand(0), 32) && from(kA, operand(1), 32) && from(kB, operand(2), 32) &&
               from(kC, operand(3), 32) && finish(Operation::kPermute);
    }
    return false;
}

bool Selector::carry(Operation operation, std::size_t sources) {
    const bool takes = name_ == "addc" || name_ == "subc" || name_ == "madc";
    const unsigned bits = 8 * bytes(type());
    if (operands() != sources + 1 || types_.size() != 1 || !only({"cc", "lo", "hi"}) || !into(kD, operand(0), bits)) {
        return refuse();
    }
    for (std::size_t i = 0; i < sources; ++i) {
        if (!from(static_cast<std::uint8_t>(kA + i), operand(i + 1), bits)) {
            return false;
        }
    }
    draft_.op.mode = {.carry = {.takes = takes, .gives = has("cc"), .upper = has("hi")}};
    return finish(operation);
}

bool Selector::arithmetic() {
    if (has("cc") || name_ == "addc" || name_ == "subc" || name_ == "madc") {
        return name_ == "add" || name_ == "addc"   ? carry(Operation::kAddCarry, 2)
               : name_ == "sub" || name_ == "subc" ? carry(Operation::kSubBorrow, 2)
               : name_ == "mad" || name_ == "madc" ? carry(Operation::kMadLowCarry, 3)
                                                   : refuse();
    }
    if (name_ == "mul" || name_ == "mul24") {
        return multiply(false);
    }
    if (name_ == "mad" || name_ == "mad24") {
        return multiply(true);
    }
    if (name_ == "setp" || name_ == "set") {
        return compare(name_ == "set");
    }
    if (name_ == "mov") {
        return move();
    }
    if (name_ == "cvt") {
        return convert();
    }
    if (name_ == "and" || name_ == "or" || name_ == "xor" || name_ == "not") {
        return name_ == "and"   ? logic(Operation::kAnd, Operation::kPredicateAnd)
               : name_ == "or"  ? logic(Operation::kOr, Operation::kPredicateOr)
               : name_ == "xor" ? logic(Operation::kXor, Operation::kPredicateXor)
                                : logic(Operation::kNot, Operation::kPredicateNot);
    }
    const unsigned bits = 8 * bytes(type());
    if (name_ == "selp") {
        draft_.op.flags = 0;
        return operands() == 4 && only({}) && into(kD, operand(0), bits) && from(kA, operand(1), bits) &&
               from(kB, operand(2), bits) && predicate_from(kC, operand(3), 1) && finish(Operation::kSelect);
    }
    if (name_ == "slct") {
        draft_.pick.source = type(1);
        return operands() == 4 && types_.size() == 2 && only({"ftz"}) && into(kD, operand(0), bits) &&
               from(kA, operand(1), bits) && from(kB, operand(2), bits) && from(kC, operand(3), 32) &&
               finish(Operation::kSelectBySign);
    }
    if (name_ == "testp") {
        static constexpr std::array<std::pair<std::string_view, Property>, 6> kNames = {
            {{"finite", Property::kFinite},
             {"infinite", Property::kInfinite},
             {"number", Property::kNumber},
             {"notanumber", Property::kNotANumber},
             {"normal", Property::kNormal},
             {"subnormal", Property::kSubnormal}}};
        draft_.op.mode = {.property = Property::kFinite};
        for (const auto& [word, property] : kNames) {
            draft_.op.mode.property = has(word) ? property : draft_.op.mode.property;
        }
        return operands() == 2 && only({"finite", "infinite", "number", "notanumber", "normal", "subnormal"}) &&
               predicate_into(kD, operand(0)) && from(kA, operand(1), bits) && finish(Operation::kTestProperty);
    }
    if (name_ == "dp4a" || name_ == "dp2a") {
        const bool four = name_ == "dp4a";
        draft_.op.count = four ? 4 : 2;
        draft_.op.mode = {
            .dot = {.signed_a = is_signed(type(0)), .signed_b = is_signed(type(1)), .upper = has("hi")}};
        draft_.pick.type = Type::kU32;
        return operands() == 4 && types_.size() == 2 && only({"lo", "hi"}) && into(kD, operand(0), 32) &&
               from(kA, operand(1), 32) && from(kB, operand(2), 32) && from(kC, operand(3), 32) &&
               finish(four ? Operation::kDotProduct4 : Operation::kDotProduct2);
    }
    if (bit_field()) {
        return true;
    }
    const auto known = simple_ones().find(name_);
    if (error_ || known == simple_ones().end()) {
        return false;
    }
    return simple(known->second.operation, known->second.sources,
                  {"rn", "rz", "rm", "rp", "ftz", "sat", "approx", "full", "NaN", "relu", "xorsign", "abs"});
}

}  // namespace kymo::gpu::ptx
