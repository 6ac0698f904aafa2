// Moves, comparisons, selections, and logic on predicates.
#include "gpu/ptx/lanes/half_number.h"

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

template <typename T>
bool move(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) { return x[i]; });
    return true;
}

template <typename T>
inline bool is_nan(T value) {
    static_assert(std::is_arithmetic_v<T>);
    if constexpr (std::is_floating_point_v<T>) {
        return __builtin_isnan(value);
    } else {
        return false;
    }
}

template <Compare C, typename T>
inline bool compared(T a, T b) {
    switch (C) {
        case Compare::kEq:
            return a == b;
        case Compare::kNe:
            return a != b && !is_nan(a) && !is_nan(b);
        case Compare::kLt:
            return a < b;
        case Compare::kLe:
            return a <= b;
        case Compare::kGt:
            return a > b;
        case Compare::kGe:
            return a >= b;
        case Compare::kEqu:
            return a == b || is_nan(a) || is_nan(b);
        case Compare::kNeu:
            return a != b;
        case Compare::kLtu:
            return !(a >= b);
        case Compare::kLeu:
            return !(a > b);
        case Compare::kGtu:
            return !(a <= b);
        case Compare::kGeu:
            return !(a < b);
        case Compare::kNum:
            return !is_nan(a) && !is_nan(b);
        case Compare::kNan:
            return is_nan(a) || is_nan(b);
    }
    return false;
}

// Numbers as registers hold them.
template <typename T>
struct Plain {
    using Stored = T;
    static constexpr bool kFraction = static_cast<T>(0.5F) != T{0};
    static T of(T value) { return value; }
};
struct Flushed {
    using Stored = float;
    static constexpr bool kFraction = true;
    static float of(float value) { return flushed(value); }
};
struct ComparedHalf {
    using Stored = std::uint16_t;
    static constexpr bool kFraction = true;
    static float of(std::uint16_t value) { return to_float(Half{value}); }
};
struct ComparedBfloat {
    using Stored = std::uint16_t;
    static constexpr bool kFraction = true;
    static float of(std::uint16_t value) { return to_float(Bfloat{value}); }
};

// The result and its opposite, each combined with a third predicate, op.c (flag 1: its opposite), op.more[0] the
// second result's place (0: none; no predicate lies there).
template <typename N, Compare C>
bool set_predicate(Warp& warp, const Op& op, std::uint32_t mask) {
    const auto* const x = lanes<typename N::Stored>(warp, op.a);
    const auto* const y = lanes<typename N::Stored>(warp, op.b);
    const std::uint32_t is = bits([=](unsigned i) { return compared<C>(N::of(x[i]), N::of(y[i])); });
    std::uint32_t first = is;
    std::uint32_t second = ~is;
    if (op.mode.combine != Combine::kNone) {
        const std::uint32_t other = predicate(warp, op.c) ^ ((op.flags & 1U) != 0 ? kAllLanes : 0U);
        const auto join = [&](std::uint32_t value) {
            return op.mode.combine == Combine::kAnd  ? value & other
                   : op.mode.combine == Combine::kOr ? value | other
                                                     : value ^ other;
        };
        first = join(first);
        second = join(second);
    }
    std::uint32_t& d = predicate(warp, op.d);
    d = (d & ~mask) | (first & mask);
    if (op.more[0] != 0) {
        std::uint32_t& e = predicate(warp, op.more[0]);
        e = (e & ~mask) | (second & mask);
    }
    return true;
}

// set: all ones or 1.0; op.flags kWholeFlag: 1.0F.
template <typename N, Compare C>
bool set_number(Warp& warp, const Op& op, std::uint32_t mask) {
    const auto* const x = lanes<typename N::Stored>(warp, op.a);
    const auto* const y = lanes<typename N::Stored>(warp, op.b);
    const std::uint32_t yes = (op.flags & kWholeFlag) != 0 ? 0x3F80'0000U : kAllLanes;
    each(lanes<std::uint32_t>(warp, op.d), mask,
         [=](unsigned i) { return compared<C>(N::of(x[i]), N::of(y[i])) ? yes : 0U; });
    return true;
}

template <typename N>
Handler comparison(const Pick& wanted) {
    const bool is_set = wanted.operation == Operation::kCompareSet;
    switch (wanted.compare) {
        case Compare::kEq:
            return is_set ? set_number<N, Compare::kEq> : set_predicate<N, Compare::kEq>;
        case Compare::kNe:
            return is_set ? set_number<N, Compare::kNe> : set_predicate<N, Compare::kNe>;
        case Compare::kLt:
            return is_set ? set_number<N, Compare::kLt> : set_predicate<N, Compare::kLt>;
        case Compare::kLe:
            return is_set ? set_number<N, Compare::kLe> : set_predicate<N, Compare::kLe>;
        case Compare::kGt:
            return is_set ? set_number<N, Compare::kGt> : set_predicate<N, Compare::kGt>;
        case Compare::kGe:
            return is_set ? set_number<N, Compare::kGe> : set_predicate<N, Compare::kGe>;
        default:
            break;
    }
    if constexpr (N::kFraction) {
        switch (wanted.compare) {
            case Compare::kEqu:
                return is_set ? set_number<N, Compare::kEqu> : set_predicate<N, Compare::kEqu>;
            case Compare::kNeu:
                return is_set ? set_number<N, Compare::kNeu> : set_predicate<N, Compare::kNeu>;
            case Compare::kLtu:
                return is_set ? set_number<N, Compare::kLtu> : set_predicate<N, Compare::kLtu>;
            case Compare::kLeu:
                return is_set ? set_number<N, Compare::kLeu> : set_predicate<N, Compare::kLeu>;
            case Compare::kGtu:
                return is_set ? set_number<N, Compare::kGtu> : set_predicate<N, Compare::kGtu>;
            case Compare::kGeu:
                return is_set ? set_number<N, Compare::kGeu> : set_predicate<N, Compare::kGeu>;
            case Compare::kNum:
                return is_set ? set_number<N, Compare::kNum> : set_predicate<N, Compare::kNum>;
            case Compare::kNan:
                return is_set ? set_number<N, Compare::kNan> : set_predicate<N, Compare::kNan>;
            default:
                break;
        }
    }
    return nullptr;
}

Handler compare(const Pick& wanted) {
    switch (wanted.source) {
        case Type::kB16:
        case Type::kU16:
            return comparison<Plain<std::uint16_t>>(wanted);
        case Type::kS16:
            return comparison<Plain<std::int16_t>>(wanted);
        case Type::kB32:
        case Type::kU32:
            return comparison<Plain<std::uint32_t>>(wanted);
        case Type::kS32:
            return comparison<Plain<std::int32_t>>(wanted);
        case Type::kB64:
        case Type::kU64:
            return comparison<Plain<std::uint64_t>>(wanted);
        case Type::kS64:
            return comparison<Plain<std::int64_t>>(wanted);
        case Type::kF32:
            return wanted.flush ? comparison<Flushed>(wanted) : comparison<Plain<float>>(wanted);
        case Type::kF64:
            return comparison<Plain<double>>(wanted);
        case Type::kF16:
            return comparison<ComparedHalf>(wanted);
        case Type::kBf16:
            return comparison<ComparedBfloat>(wanted);
        default:
            return nullptr;
    }
}

template <typename T>
bool select(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    const std::uint32_t by = predicate(warp, op.c) ^ ((op.flags & 1U) != 0 ? kAllLanes : 0U);
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) {
        const T a = x[i];
        const T b = y[i];
        return (by >> i & 1U) != 0 ? a : b;
    });
    return true;
}

// slct: by the sign of c.
template <typename T, typename S>
bool select_by_sign(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    const S* const z = lanes<S>(warp, op.c);
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) {
        const T a = x[i];
        const T b = y[i];
        return z[i] >= S{0} ? a : b;
    });
    return true;
}

// On predicates; flags 1 and 2: the opposite of a, of b.
template <Operation What>
bool on_predicates(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint32_t a = predicate(warp, op.a) ^ ((op.flags & 1U) != 0 ? kAllLanes : 0U);
    const std::uint32_t b = predicate(warp, op.b) ^ ((op.flags & 2U) != 0 ? kAllLanes : 0U);
    const std::uint32_t value = What == Operation::kPredicateMove  ? a
                                : What == Operation::kPredicateNot ? ~a
                                : What == Operation::kPredicateAnd ? a & b
                                : What == Operation::kPredicateOr  ? a | b
                                                                   : a ^ b;
    std::uint32_t& d = predicate(warp, op.d);
    d = (d & ~mask) | (value & mask);
    return true;
}

// mov.b64 d, {a, b}: from the lowest part up; sinks of an unpacking have place 0.
template <typename Whole, typename Part>
bool pack(Warp& warp, const Op& op, std::uint32_t mask) {
    constexpr unsigned kParts = sizeof(Whole) / sizeof(Part);
    const std::uint32_t places[4] = {op.a, op.b, op.c, op.more[0]};
    Whole* const d = lanes<Whole>(warp, op.d);
    each_active(mask, [&](unsigned i) {
        Whole value = 0;
        for (unsigned k = 0; k < kParts; ++k) {
            value = static_cast<Whole>(value | static_cast<Whole>(static_cast<Whole>(lanes<Part>(warp, places[k])[i])
                                                                  << (8 * sizeof(Part) * k)));
        }
        d[i] = value;
    });
    return true;
}

template <typename Whole, typename Part>
bool unpack(Warp& warp, const Op& op, std::uint32_t mask) {
    constexpr unsigned kParts = sizeof(Whole) / sizeof(Part);
    const std::uint32_t places[4] = {op.d, op.more[0], op.more[1], op.more[2]};
    const Whole* const x = lanes<Whole>(warp, op.a);
    each_active(mask, [&](unsigned i) {
        const Whole value = x[i];  // a part may be put where it came from
        for (unsigned k = 0; k < kParts; ++k) {
            if (places[k] != 0) {
                lanes<Part>(warp, places[k])[i] = static_cast<Part>(value >> (8 * sizeof(Part) * k));
            }
        }
    });
    return true;
}

Handler parts(const Pick& wanted) {
    const bool packs = wanted.operation == Operation::kPack;
    using U16 = std::uint16_t;
    using U32 = std::uint32_t;
    using U64 = std::uint64_t;
    if (wanted.result_bits == 32 && wanted.source_bits == 16) {
        return packs ? pack<U32, U16> : unpack<U32, U16>;
    }
    if (wanted.result_bits == 64 && wanted.source_bits == 32) {
        return packs ? pack<U64, U32> : unpack<U64, U32>;
    }
    if (wanted.result_bits == 64 && wanted.source_bits == 16) {
        return packs ? pack<U64, U16> : unpack<U64, U16>;
    }
    return nullptr;
}

}  // namespace

Handler pick_choice(const Pick& wanted) {
    const unsigned size = bytes(wanted.type);
    switch (wanted.operation) {
        case Operation::kMove:
            return size == 2   ? move<std::uint16_t>
                   : size == 4 ? move<std::uint32_t>
                   : size == 8 ? move<std::uint64_t>
                               : nullptr;
        case Operation::kSelect:
            return size == 2   ? select<std::uint16_t>
                   : size == 4 ? select<std::uint32_t>
                   : size == 8 ? select<std::uint64_t>
                               : nullptr;
        case Operation::kSelectBySign:
            if (wanted.source == Type::kF32) {
                return size == 4   ? select_by_sign<std::uint32_t, float>
                       : size == 8 ? select_by_sign<std::uint64_t, float>
                                   : nullptr;
            }
            return size == 4   ? select_by_sign<std::uint32_t, std::int32_t>
                   : size == 8 ? select_by_sign<std::uint64_t, std::int32_t>
                               : nullptr;
        case Operation::kCompare:
        case Operation::kCompareSet:
            return compare(wanted);
        case Operation::kPredicateMove:
            return on_predicates<Operation::kPredicateMove>;
        case Operation::kPredicateNot:
            return on_predicates<Operation::kPredicateNot>;
        case Operation::kPredicateAnd:
            return on_predicates<Operation::kPredicateAnd>;
        case Operation::kPredicateOr:
            return on_predicates<Operation::kPredicateOr>;
        case Operation::kPredicateXor:
            return on_predicates<Operation::kPredicateXor>;
        case Operation::kPack:
        case Operation::kUnpack:
            return parts(wanted);
        default:
            return nullptr;
    }
}

}  // namespace kymo::gpu::ptx::KYMO_LANES
