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
template <typename H, bool Flush>
struct Narrow {  // of 16 bits
    using Stored = std::uint16_t;
    static constexpr bool kFraction = true;
    static float of(std::uint16_t value) {
        const float number = to_float(H{value});
        const bool is_denormal = number < 0x1p-14F && number > -0x1p-14F;
        return Flush && is_denormal ? __builtin_copysignf(0.0F, number) : number;
    }
};

// Each lane's result joined with the third predicate, op.c (flag 1: its opposite).
inline std::uint32_t joined(Warp& warp, const Op& op, std::uint32_t value) {
    if (op.mode.combine == Combine::kNone) {
        return value;
    }
    const std::uint32_t other = predicate(warp, op.c) ^ ((op.flags & 1U) != 0 ? kAllLanes : 0U);
    return op.mode.combine == Combine::kAnd  ? value & other
           : op.mode.combine == Combine::kOr ? value | other
                                             : value ^ other;
}

// Two predicates, joined; op.more[0]: the second one's place (0: none; no predicate lies there).
inline void put_predicates(Warp& warp, const Op& op, std::uint32_t mask, std::uint32_t first, std::uint32_t second) {
    first = joined(warp, op, first);
    second = joined(warp, op, second);
    std::uint32_t& d = predicate(warp, op.d);
    d = (d & ~mask) | (first & mask);
    if (op.more[0] != 0) {
        std::uint32_t& e = predicate(warp, op.more[0]);
        e = (e & ~mask) | (second & mask);
    }
}

// The result and its opposite.
template <typename N, Compare C>
bool set_predicate(Warp& warp, const Op& op, std::uint32_t mask) {
    const auto* const x = lanes<typename N::Stored>(warp, op.a);
    const auto* const y = lanes<typename N::Stored>(warp, op.b);
    const std::uint32_t is = bits([=](unsigned i) { return compared<C>(N::of(x[i]), N::of(y[i])); });
    put_predicates(warp, op, mask, is, ~is);
    return true;
}

// The lower and the upper numbers' results.
template <typename N, Compare C>
bool set_predicates(Warp& warp, const Op& op, std::uint32_t mask) {
    const auto* const x = lanes<std::uint32_t>(warp, op.a);
    const auto* const y = lanes<std::uint32_t>(warp, op.b);
    const auto is = [=](unsigned i, unsigned shift) {
        return compared<C>(N::of(static_cast<std::uint16_t>(x[i] >> shift)),
                           N::of(static_cast<std::uint16_t>(y[i] >> shift)));
    };
    put_predicates(warp, op, mask, bits([=](unsigned i) { return is(i, 0); }),
                   bits([=](unsigned i) { return is(i, 16); }));
    return true;
}

// set: op.immediate where it is true, else 0. R: the result's register.
template <typename N, typename R, Compare C>
bool set_number(Warp& warp, const Op& op, std::uint32_t mask) {
    const auto* const x = lanes<typename N::Stored>(warp, op.a);
    const auto* const y = lanes<typename N::Stored>(warp, op.b);
    const R yes = static_cast<R>(op.immediate);
    if (op.mode.combine != Combine::kNone) {
        const std::uint32_t is =
            joined(warp, op, bits([=](unsigned i) { return compared<C>(N::of(x[i]), N::of(y[i])); }));
        each(lanes<R>(warp, op.d), mask, [=](unsigned i) { return (is >> i & 1U) != 0 ? yes : R{0}; });
        return true;
    }
    each(lanes<R>(warp, op.d), mask, [=](unsigned i) { return compared<C>(N::of(x[i]), N::of(y[i])) ? yes : R{0}; });
    return true;
}

// Of two numbers in a register: op.immediate's 16 bits for each.
template <typename N, Compare C>
bool set_pair(Warp& warp, const Op& op, std::uint32_t mask) {
    const auto* const x = lanes<std::uint32_t>(warp, op.a);
    const auto* const y = lanes<std::uint32_t>(warp, op.b);
    const auto yes = static_cast<std::uint32_t>(op.immediate);
    const auto is = [=](unsigned i, unsigned shift) {
        return compared<C>(N::of(static_cast<std::uint16_t>(x[i] >> shift)),
                           N::of(static_cast<std::uint16_t>(y[i] >> shift)));
    };
    const std::uint32_t low = joined(warp, op, bits([=](unsigned i) { return is(i, 0); }));
    const std::uint32_t high = joined(warp, op, bits([=](unsigned i) { return is(i, 16); }));
    each(lanes<std::uint32_t>(warp, op.d), mask,
         [=](unsigned i) { return ((low >> i & 1U) != 0 ? yes : 0U) | ((high >> i & 1U) != 0 ? yes << 16U : 0U); });
    return true;
}

template <bool Fractions, typename Make>
Handler of_comparison(Compare wanted, Make make) {
    switch (wanted) {
        case Compare::kEq:
            return make.template operator()<Compare::kEq>();
        case Compare::kNe:
            return make.template operator()<Compare::kNe>();
        case Compare::kLt:
            return make.template operator()<Compare::kLt>();
        case Compare::kLe:
            return make.template operator()<Compare::kLe>();
        case Compare::kGt:
            return make.template operator()<Compare::kGt>();
        case Compare::kGe:
            return make.template operator()<Compare::kGe>();
        default:
            break;
    }
    if constexpr (Fractions) {
        switch (wanted) {
            case Compare::kEqu:
                return make.template operator()<Compare::kEqu>();
            case Compare::kNeu:
                return make.template operator()<Compare::kNeu>();
            case Compare::kLtu:
                return make.template operator()<Compare::kLtu>();
            case Compare::kLeu:
                return make.template operator()<Compare::kLeu>();
            case Compare::kGtu:
                return make.template operator()<Compare::kGtu>();
            case Compare::kGeu:
                return make.template operator()<Compare::kGeu>();
            case Compare::kNum:
                return make.template operator()<Compare::kNum>();
            case Compare::kNan:
                return make.template operator()<Compare::kNan>();
            default:
                break;
        }
    }
    return nullptr;
}

template <typename N>
Handler comparison(const Pick& wanted) {
    return of_comparison<N::kFraction>(wanted.compare, [&]<Compare C>() -> Handler {
        return wanted.operation == Operation::kCompare ? set_predicate<N, C>
               : wanted.result_bits == 16              ? set_number<N, std::uint16_t, C>
                                                       : set_number<N, std::uint32_t, C>;
    });
}

template <typename N>
Handler pair_comparison(const Pick& wanted) {
    return of_comparison<true>(wanted.compare, [&]<Compare C>() -> Handler {
        return wanted.operation == Operation::kCompare ? set_predicates<N, C> : set_pair<N, C>;
    });
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
            return wanted.flush ? comparison<Narrow<Half, true>>(wanted) : comparison<Narrow<Half, false>>(wanted);
        case Type::kBf16:
            return comparison<Narrow<Bfloat, false>>(wanted);
        case Type::kF16x2:
            return wanted.flush ? pair_comparison<Narrow<Half, true>>(wanted)
                                : pair_comparison<Narrow<Half, false>>(wanted);
        case Type::kBf16x2:
            return pair_comparison<Narrow<Bfloat, false>>(wanted);
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

// slct: by the sign of c; a number that is flushed is not negative.
template <typename T, typename S, bool Flush = false>
bool select_by_sign(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    const S* const z = lanes<S>(warp, op.c);
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) {
        const T a = x[i];
        const T b = y[i];
        if constexpr (Flush) {
            return flushed(z[i]) >= S{0} ? a : b;
        } else {
            return z[i] >= S{0} ? a : b;
        }
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

// mov.b64 d, {a, b}: from the lowest part up; sinks of an unpacking have place 0. Parts of 8 bits lie in registers
// of 16.
template <typename Whole, typename Part, unsigned Bits>
bool pack(Warp& warp, const Op& op, std::uint32_t mask) {
    constexpr unsigned kParts = 8 * sizeof(Whole) / Bits;
    constexpr Whole kPart = (Whole{1} << (Bits - 1)) * 2U - 1U;
    const std::uint32_t places[4] = {op.a, op.b, op.c, op.more[0]};
    Whole* const d = lanes<Whole>(warp, op.d);
    each_active(mask, [&](unsigned i) {
        Whole value = 0;
        for (unsigned k = 0; k < kParts; ++k) {
            const auto part = static_cast<Whole>(lanes<Part>(warp, places[k])[i] & kPart);
            value = static_cast<Whole>(value | static_cast<Whole>(part << (Bits * k)));
        }
        d[i] = value;
    });
    return true;
}

template <typename Whole, typename Part, unsigned Bits>
bool unpack(Warp& warp, const Op& op, std::uint32_t mask) {
    constexpr unsigned kParts = 8 * sizeof(Whole) / Bits;
    constexpr Whole kPart = (Whole{1} << (Bits - 1)) * 2U - 1U;
    const std::uint32_t places[4] = {op.d, op.more[0], op.more[1], op.more[2]};
    const Whole* const x = lanes<Whole>(warp, op.a);
    each_active(mask, [&](unsigned i) {
        const Whole value = x[i];  // a part may be put where it came from
        for (unsigned k = 0; k < kParts; ++k) {
            if (places[k] != 0) {
                lanes<Part>(warp, places[k])[i] = static_cast<Part>(value >> (Bits * k) & kPart);
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
    if (wanted.result_bits == 16 && wanted.source_bits == 8) {
        return packs ? pack<U16, U16, 8> : unpack<U16, U16, 8>;
    }
    if (wanted.result_bits == 32 && wanted.source_bits == 8) {
        return packs ? pack<U32, U16, 8> : unpack<U32, U16, 8>;
    }
    if (wanted.result_bits == 32 && wanted.source_bits == 16) {
        return packs ? pack<U32, U16, 16> : unpack<U32, U16, 16>;
    }
    if (wanted.result_bits == 64 && wanted.source_bits == 32) {
        return packs ? pack<U64, U32, 32> : unpack<U64, U32, 32>;
    }
    if (wanted.result_bits == 64 && wanted.source_bits == 16) {
        return packs ? pack<U64, U16, 16> : unpack<U64, U16, 16>;
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
            if (wanted.source == Type::kF32 && wanted.flush) {
                return size == 4   ? select_by_sign<std::uint32_t, float, true>
                       : size == 8 ? select_by_sign<std::uint64_t, float, true>
                                   : nullptr;
            }
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
