// Integer arithmetic.
#include "gpu/ptx/lanes/lanes.h"

#include <type_traits>

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

template <typename T>
struct Wider;
template <>
struct Wider<std::uint16_t> {
    using Type = std::uint32_t;
};
template <>
struct Wider<std::int16_t> {
    using Type = std::int32_t;
};
template <>
struct Wider<std::uint32_t> {
    using Type = std::uint64_t;
};
template <>
struct Wider<std::int32_t> {
    using Type = std::int64_t;
};
template <>
struct Wider<std::uint64_t> {
    using Type = unsigned __int128;
};
template <>
struct Wider<std::int64_t> {
    using Type = __int128;
};
template <typename T>
using WiderOf = typename Wider<T>::Type;
template <typename T>
using UnsignedOf = std::make_unsigned_t<T>;

// Arithmetic wraps: in the unsigned type, at least 32 bits wide.
template <typename T>
T wrap_add(T a, T b) {
    return static_cast<T>(static_cast<UnsignedOf<T>>(a) + static_cast<UnsignedOf<T>>(b));
}
template <typename T>
T wrap_sub(T a, T b) {
    return static_cast<T>(static_cast<UnsignedOf<T>>(a) - static_cast<UnsignedOf<T>>(b));
}
template <typename T>
T wrap_mul(T a, T b) {
    if constexpr (sizeof(T) == 2) {
        return static_cast<T>(static_cast<std::uint32_t>(static_cast<UnsignedOf<T>>(a)) *
                              static_cast<UnsignedOf<T>>(b));
    } else {
        return static_cast<T>(static_cast<UnsignedOf<T>>(a) * static_cast<UnsignedOf<T>>(b));
    }
}
template <typename T>
T high_mul(T a, T b) {
    return static_cast<T>((static_cast<WiderOf<T>>(a) * static_cast<WiderOf<T>>(b)) >> (8 * sizeof(T)));
}
// Division by 0 gives what GPUs give: all ones.
template <typename T>
T divide(T a, T b) {
    if (b == 0) {
        return static_cast<T>(~T{0});
    }
    if (static_cast<T>(-1) < 0 && b == static_cast<T>(-1)) {
        return wrap_sub(T{0}, a);
    }
    return static_cast<T>(a / b);
}
template <typename T>
T remainder(T a, T b) {
    if (b == 0) {
        return static_cast<T>(~T{0});
    }
    if (static_cast<T>(-1) < 0 && b == static_cast<T>(-1)) {
        return 0;
    }
    return static_cast<T>(a % b);
}

#define KYMO_BINARY(NAME, EXPRESSION)                         \
    template <typename T>                                     \
    bool NAME(Warp& warp, const Op& op, std::uint32_t mask) { \
        const T* const x = lanes<T>(warp, op.a);              \
        const T* const y = lanes<T>(warp, op.b);              \
        each(lanes<T>(warp, op.d), mask, [=](unsigned i) {    \
            const T a = x[i];                                 \
            const T b = y[i];                                 \
            return static_cast<T>(EXPRESSION);                \
        });                                                   \
        return true;                                          \
    }
#define KYMO_UNARY(NAME, EXPRESSION)                          \
    template <typename T>                                     \
    bool NAME(Warp& warp, const Op& op, std::uint32_t mask) { \
        const T* const x = lanes<T>(warp, op.a);              \
        each(lanes<T>(warp, op.d), mask, [=](unsigned i) {    \
            const T a = x[i];                                 \
            return static_cast<T>(EXPRESSION);                \
        });                                                   \
        return true;                                          \
    }

KYMO_BINARY(add, wrap_add(a, b))
KYMO_BINARY(sub, wrap_sub(a, b))
KYMO_BINARY(mul, wrap_mul(a, b))
KYMO_BINARY(mul_high, high_mul(a, b))
KYMO_BINARY(least, a < b ? a : b)
KYMO_BINARY(greatest, a < b ? b : a)
KYMO_UNARY(absolute, a < 0 ? wrap_sub(T{0}, a) : a)
KYMO_UNARY(negate, wrap_sub(T{0}, a))

template <typename T>
bool div(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    T* const d = lanes<T>(warp, op.d);
    each_active(mask, [=](unsigned i) { d[i] = divide(x[i], y[i]); });
    return true;
}

template <typename T>
bool rem(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    T* const d = lanes<T>(warp, op.d);
    each_active(mask, [=](unsigned i) { d[i] = remainder(x[i], y[i]); });
    return true;
}

template <int Sign>
bool add_saturated(Warp& warp, const Op& op, std::uint32_t mask) {  // .sat: .s32 alone
    const std::int32_t* const x = lanes<std::int32_t>(warp, op.a);
    const std::int32_t* const y = lanes<std::int32_t>(warp, op.b);
    each(lanes<std::int32_t>(warp, op.d), mask, [=](unsigned i) {
        const std::int64_t sum = std::int64_t{x[i]} + Sign * std::int64_t{y[i]};
        constexpr std::int64_t kMost = 0x7FFF'FFFF;
        return static_cast<std::int32_t>(sum > kMost ? kMost : sum < -kMost - 1 ? -kMost - 1 : sum);
    });
    return true;
}

template <typename T>
bool mad(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    const T* const z = lanes<T>(warp, op.c);
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) { return wrap_add(wrap_mul(x[i], y[i]), z[i]); });
    return true;
}

template <typename T>
bool mad_high(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    const T* const z = lanes<T>(warp, op.c);
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) { return wrap_add(high_mul(x[i], y[i]), z[i]); });
    return true;
}

bool mad_high_saturated(Warp& warp, const Op& op, std::uint32_t mask) {  // .s32 alone
    const std::int32_t* const x = lanes<std::int32_t>(warp, op.a);
    const std::int32_t* const y = lanes<std::int32_t>(warp, op.b);
    const std::int32_t* const z = lanes<std::int32_t>(warp, op.c);
    each(lanes<std::int32_t>(warp, op.d), mask, [=](unsigned i) {
        const std::int64_t sum = std::int64_t{high_mul(x[i], y[i])} + z[i];
        constexpr std::int64_t kMost = 0x7FFF'FFFF;
        return static_cast<std::int32_t>(sum > kMost ? kMost : sum < -kMost - 1 ? -kMost - 1 : sum);
    });
    return true;
}

// Of two numbers of 16 bits in a register, and min and max of one of 32 bits whose negative results are 0.
template <typename T, Operation What>
T of_part(T a, T b, bool relu) {
    const T value = What == Operation::kAdd ? wrap_add(a, b) : (What == Operation::kLeast) == (a < b) ? a : b;
    return relu && value < 0 ? T{0} : value;
}

template <typename T, Operation What>
bool parts(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint32_t* const x = lanes<std::uint32_t>(warp, op.a);
    const std::uint32_t* const y = lanes<std::uint32_t>(warp, op.b);
    const bool relu = (op.flags & kReluFlag) != 0;
    constexpr unsigned kBits = 8 * sizeof(T);
    each(lanes<std::uint32_t>(warp, op.d), mask, [=](unsigned i) {
        std::uint32_t value = 0;
        for (unsigned at = 0; at < 32; at += kBits) {
            const T part = of_part<T, What>(static_cast<T>(x[i] >> at), static_cast<T>(y[i] >> at), relu);
            value |= static_cast<std::uint32_t>(static_cast<UnsignedOf<T>>(part)) << at;
        }
        return value;
    });
    return true;
}

template <typename T>
Handler of_parts(Operation operation) {
    return operation == Operation::kLeast      ? parts<T, Operation::kLeast>
           : operation == Operation::kGreatest ? parts<T, Operation::kGreatest>
           : operation == Operation::kAdd      ? parts<T, Operation::kAdd>
                                               : nullptr;
}

template <typename T>
bool mul_wide(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    each(lanes<WiderOf<T>>(warp, op.d), mask, [=](unsigned i) {
        return static_cast<WiderOf<T>>(static_cast<WiderOf<T>>(x[i]) * static_cast<WiderOf<T>>(y[i]));
    });
    return true;
}

template <typename T>
bool mad_wide(Warp& warp, const Op& op, std::uint32_t mask) {
    using W = WiderOf<T>;
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    const W* const z = lanes<W>(warp, op.c);
    each(lanes<W>(warp, op.d), mask,
         [=](unsigned i) { return wrap_add(static_cast<W>(static_cast<W>(x[i]) * static_cast<W>(y[i])), z[i]); });
    return true;
}

template <typename T>
T low24(T value) {
    return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(value) << 8U) >> 8);
}

template <typename T>
bool mul24(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    const T* const z = lanes<T>(warp, op.c);
    const bool adds = op.mode.product24.adds;
    const unsigned shift = op.mode.product24.upper ? 16 : 0;
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) {
        const auto product = static_cast<WiderOf<T>>(low24(x[i])) * low24(y[i]);
        return wrap_add(static_cast<T>(product >> shift), adds ? z[i] : T{0});
    });
    return true;
}

template <typename T>
bool sad(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    const T* const z = lanes<T>(warp, op.c);
    each(lanes<T>(warp, op.d), mask,
         [=](unsigned i) { return wrap_add(z[i], x[i] < y[i] ? wrap_sub(y[i], x[i]) : wrap_sub(x[i], y[i])); });
    return true;
}

// Sums of products of bytes (4) or of two 16-bit numbers with two bytes (2).
bool dot_product(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint32_t* const x = lanes<std::uint32_t>(warp, op.a);
    const std::uint32_t* const y = lanes<std::uint32_t>(warp, op.b);
    const std::uint32_t* const z = lanes<std::uint32_t>(warp, op.c);
    std::uint32_t* const d = lanes<std::uint32_t>(warp, op.d);
    const bool signed_a = op.mode.dot.signed_a;
    const bool signed_b = op.mode.dot.signed_b;
    const unsigned parts = op.count;
    const unsigned width = 32 / parts;
    const unsigned skip = op.mode.dot.upper ? 2 : 0;
    const auto part = [](std::uint32_t value, unsigned from, unsigned size, bool is_signed) {
        const std::uint32_t up = value << (32 - from - size) % 32;  // always within a word
        return is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(up) >> (32 - size))
                         : up >> (32 - size);
    };
    each_active(mask, [&](unsigned i) {
        std::uint32_t sum = z[i];
        for (unsigned k = 0; k < parts; ++k) {
            sum += part(x[i], k * width, width, signed_a) * part(y[i], (k + skip) * 8, 8, signed_b);
        }
        d[i] = sum;
    });
    return true;
}

// Extended precision: the carry is a bit a lane.
template <typename T>
bool add_carry(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    T* const d = lanes<T>(warp, op.d);
    each_active(mask, [&](unsigned i) {
        const std::uint32_t in = op.mode.carry.takes ? warp.carry >> i & 1U : 0U;
        const auto sum = static_cast<WiderOf<T>>(static_cast<WiderOf<T>>(x[i]) + y[i] + in);
        d[i] = static_cast<T>(sum);
        if (op.mode.carry.gives) {
            warp.carry = (warp.carry & ~(1U << i)) | (static_cast<std::uint32_t>(sum >> (8 * sizeof(T)) & 1U) << i);
        }
    });
    return true;
}

template <typename T>
bool sub_borrow(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    T* const d = lanes<T>(warp, op.d);
    each_active(mask, [&](unsigned i) {
        const std::uint32_t in = op.mode.carry.takes ? warp.carry >> i & 1U : 0U;
        const auto rest = static_cast<WiderOf<T>>(static_cast<WiderOf<T>>(x[i]) - y[i] - in);
        d[i] = static_cast<T>(rest);
        if (op.mode.carry.gives) {
            warp.carry = (warp.carry & ~(1U << i)) | (static_cast<std::uint32_t>(rest >> (8 * sizeof(T)) & 1U) << i);
        }
    });
    return true;
}

template <typename T, typename S>
bool mad_carry(Warp& warp, const Op& op, std::uint32_t mask) {
    const S* const x = lanes<S>(warp, op.a);
    const S* const y = lanes<S>(warp, op.b);
    const T* const z = lanes<T>(warp, op.c);
    T* const d = lanes<T>(warp, op.d);
    each_active(mask, [&](unsigned i) {
        const auto part = static_cast<T>(op.mode.carry.upper ? high_mul(x[i], y[i]) : wrap_mul(x[i], y[i]));
        const std::uint32_t in = op.mode.carry.takes ? warp.carry >> i & 1U : 0U;
        const auto sum = static_cast<WiderOf<T>>(static_cast<WiderOf<T>>(part) + z[i] + in);
        d[i] = static_cast<T>(sum);
        if (op.mode.carry.gives) {
            warp.carry = (warp.carry & ~(1U << i)) | (static_cast<std::uint32_t>(sum >> (8 * sizeof(T)) & 1U) << i);
        }
    });
    return true;
}

template <typename T>
Handler of_type(const Pick& wanted) {
    switch (wanted.operation) {
        case Operation::kAdd:
            return add<T>;
        case Operation::kSub:
            return sub<T>;
        case Operation::kMul:
            return mul<T>;
        case Operation::kMulHigh:
            return mul_high<T>;
        case Operation::kMad:
            return mad<T>;
        case Operation::kMadHigh:
            return mad_high<T>;
        case Operation::kSad:
            return sad<T>;
        case Operation::kDivide:
            return div<T>;
        case Operation::kRemainder:
            return rem<T>;
        case Operation::kAbsolute:
            return absolute<T>;
        case Operation::kNegate:
            return negate<T>;
        case Operation::kLeast:
            return least<T>;
        case Operation::kGreatest:
            return greatest<T>;
        default:
            break;
    }
    if constexpr (sizeof(T) < 8) {
        switch (wanted.operation) {
            case Operation::kMulWide:
                return mul_wide<T>;
            case Operation::kMadWide:
                return mad_wide<T>;
            default:
                break;
        }
    }
    if constexpr (sizeof(T) == 4) {
        switch (wanted.operation) {
            case Operation::kMul24:
                return mul24<T>;
            case Operation::kDotProduct4:
            case Operation::kDotProduct2:
                return dot_product;
            default:
                break;
        }
    }
    if constexpr (sizeof(T) >= 4) {
        using U = UnsignedOf<T>;
        switch (wanted.operation) {
            case Operation::kAddCarry:
            case Operation::kAddWithCarry:
                return add_carry<U>;
            case Operation::kSubBorrow:
            case Operation::kSubWithBorrow:
                return sub_borrow<U>;
            case Operation::kMadLowCarry:
            case Operation::kMadHighCarry:
                return mad_carry<U, T>;
            default:
                break;
        }
    }
    return nullptr;
}

}  // namespace

Handler pick_integer(const Pick& wanted) {
    if (wanted.saturate) {
        return wanted.type != Type::kS32                 ? nullptr
               : wanted.operation == Operation::kAdd     ? add_saturated<1>
               : wanted.operation == Operation::kSub     ? add_saturated<-1>
               : wanted.operation == Operation::kMadHigh ? mad_high_saturated
                                                         : nullptr;
    }
    if (wanted.xor_sign) {
        return nullptr;
    }
    if (wanted.relu) {
        const bool adds = wanted.operation == Operation::kAdd;
        return adds                          ? nullptr
               : wanted.type == Type::kS16x2 ? of_parts<std::int16_t>(wanted.operation)
               : wanted.type == Type::kS32   ? of_parts<std::int32_t>(wanted.operation)
                                             : nullptr;
    }
    switch (wanted.type) {
        case Type::kU16:
        case Type::kB16:
            return of_type<std::uint16_t>(wanted);
        case Type::kS16:
            return of_type<std::int16_t>(wanted);
        case Type::kU32:
        case Type::kB32:
            return of_type<std::uint32_t>(wanted);
        case Type::kS32:
            return of_type<std::int32_t>(wanted);
        case Type::kU64:
        case Type::kB64:
            return of_type<std::uint64_t>(wanted);
        case Type::kS64:
            return of_type<std::int64_t>(wanted);
        case Type::kU16x2:
            return of_parts<std::uint16_t>(wanted.operation);
        case Type::kS16x2:
            return of_parts<std::int16_t>(wanted.operation);
        default:
            return nullptr;
    }
}

}  // namespace kymo::gpu::ptx::KYMO_LANES
