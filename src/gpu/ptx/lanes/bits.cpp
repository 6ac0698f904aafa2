// Logic, shifts and bit fields.
#include "gpu/ptx/lanes/lanes.h"

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

using U32 = std::uint32_t;

#define KYMO_BITS(NAME, EXPRESSION)                           \
    template <typename T>                                     \
    bool NAME(Warp& warp, const Op& op, std::uint32_t mask) { \
        const T* const x = lanes<T>(warp, op.a);              \
        const T* const y = lanes<T>(warp, op.b);              \
        each(lanes<T>(warp, op.d), mask, [=](unsigned i) {    \
            const T a = x[i];                                 \
            [[maybe_unused]] const T b = y[i];                \
            return static_cast<T>(EXPRESSION);                \
        });                                                   \
        return true;                                          \
    }

KYMO_BITS(bit_and, a& b)
KYMO_BITS(bit_or, a | b)
KYMO_BITS(bit_xor, a ^ b)

template <typename T>
bool bit_not(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) { return static_cast<T>(~x[i]); });
    return true;
}

template <typename T>
bool logic_not(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) { return static_cast<T>(x[i] == 0 ? 1 : 0); });
    return true;
}

// The amount is always 32 bits and counts at most the width.
template <typename T>
bool shift_left(Warp& warp, const Op& op, std::uint32_t mask) {
    constexpr U32 kBits = 8 * sizeof(T);
    const T* const x = lanes<T>(warp, op.a);
    const U32* const y = lanes<U32>(warp, op.b);
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) {
        const U32 by = y[i] & (kBits - 1);
        return static_cast<T>(y[i] >= kBits ? T{0} : static_cast<T>(x[i] << by));
    });
    return true;
}

template <typename T>
bool shift_right(Warp& warp, const Op& op, std::uint32_t mask) {
    constexpr U32 kBits = 8 * sizeof(T);
    const T* const x = lanes<T>(warp, op.a);
    const U32* const y = lanes<U32>(warp, op.b);
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) {
        const U32 by = y[i] & (kBits - 1);
        const T far = static_cast<T>(x[i] < 0 ? -1 : 0);
        return static_cast<T>(y[i] >= kBits ? far : static_cast<T>(x[i] >> by));
    });
    return true;
}

template <bool Left>
bool funnel(Warp& warp, const Op& op, std::uint32_t mask) {
    const U32* const low = lanes<U32>(warp, op.a);
    const U32* const high = lanes<U32>(warp, op.b);
    const U32* const amount = lanes<U32>(warp, op.c);
    const bool clamp = op.mode.clamps;
    each(lanes<U32>(warp, op.d), mask, [=](unsigned i) {
        const U32 by = clamp ? (amount[i] > 32 ? 32 : amount[i]) : amount[i] & 31U;
        const std::uint64_t both = std::uint64_t{high[i]} << 32U | low[i];
        return static_cast<U32>(Left ? (both << by) >> 32U : both >> by);
    });
    return true;
}

// Bit k of the table: the result where a, b, c's bits are k.
bool logic3(Warp& warp, const Op& op, std::uint32_t mask) {
    const U32* const x = lanes<U32>(warp, op.a);
    const U32* const y = lanes<U32>(warp, op.b);
    const U32* const z = lanes<U32>(warp, op.c);
    const U32 table = op.mode.table;
    U32 term[8];
    for (unsigned k = 0; k < 8; ++k) {
        term[k] = (table >> k & 1U) != 0 ? kAllLanes : 0U;
    }
    each(lanes<U32>(warp, op.d), mask, [=](unsigned i) {
        const U32 a = x[i];
        const U32 b = y[i];
        const U32 c = z[i];
        const U32 with_a = (b & ((c & term[7]) | (~c & term[6]))) | (~b & ((c & term[5]) | (~c & term[4])));
        const U32 without = (b & ((c & term[3]) | (~c & term[2]))) | (~b & ((c & term[1]) | (~c & term[0])));
        return (a & with_a) | (~a & without);
    });
    return true;
}

template <typename T>
bool population(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    each(lanes<U32>(warp, op.d), mask, [=](unsigned i) { return static_cast<U32>(__builtin_popcountll(x[i])); });
    return true;
}

template <typename T>
unsigned leading(T value) {
    constexpr auto kBits = static_cast<unsigned>(8 * sizeof(T));
    return value == 0 ? kBits : static_cast<unsigned>(__builtin_clzll(value)) - (64U - kBits);
}

template <typename T>
bool leading_zeros(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    each(lanes<U32>(warp, op.d), mask, [=](unsigned i) { return static_cast<U32>(leading(x[i])); });
    return true;
}

// Position of the highest bit that distinguishes the number from 0 (or −1); or the left shift that moves it to the
// top.
template <typename T, typename S>
bool find_high(Warp& warp, const Op& op, std::uint32_t mask) {
    const S* const x = lanes<S>(warp, op.a);
    U32* const d = lanes<U32>(warp, op.d);
    each_active(mask, [=, &op](unsigned i) {
        const T value = static_cast<T>(x[i] < 0 ? ~x[i] : x[i]);
        const U32 at = static_cast<U32>(8 * sizeof(T) - 1 - leading(value));
        d[i] = value == 0 ? kAllLanes : op.mode.as_shift ? static_cast<U32>(8 * sizeof(T) - 1 - at) : at;
    });
    return true;
}

template <typename T>
bool reverse(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) {
        std::uint64_t value = x[i];
        value = (value & 0x5555'5555'5555'5555U) << 1U | (value >> 1U & 0x5555'5555'5555'5555U);
        value = (value & 0x3333'3333'3333'3333U) << 2U | (value >> 2U & 0x3333'3333'3333'3333U);
        value = (value & 0x0F0F'0F0F'0F0F'0F0FU) << 4U | (value >> 4U & 0x0F0F'0F0F'0F0F'0F0FU);
        value = __builtin_bswap64(value);
        return static_cast<T>(value >> (64 - 8 * sizeof(T)));
    });
    return true;
}

// A field's place or length: PTX allows up to 255. Of larger values, a GPU takes the lowest byte in its own 32-bit
// instructions; ptxas composes the 64-bit ones, which take them as they are.
template <typename T>
U32 place(U32 value) {
    return sizeof(T) == 4 ? value & 255U : value > 255 ? 255 : value;
}

// bfe: `length` bits from `start`; a signed field's upper bits are its sign.
template <typename T, typename S>
bool extract(Warp& warp, const Op& op, std::uint32_t mask) {
    constexpr U32 kBits = 8 * sizeof(T);
    const T* const x = lanes<T>(warp, op.a);
    const U32* const from = lanes<U32>(warp, op.b);
    const U32* const size = lanes<U32>(warp, op.c);
    T* const d = lanes<T>(warp, op.d);
    constexpr bool kSigned = static_cast<S>(-1) < 0;
    each_active(mask, [=](unsigned i) {
        const U32 start = place<T>(from[i]);
        const U32 length = place<T>(size[i]);
        const U32 last = start + length > kBits ? kBits - 1 : start + length - 1;
        const bool sign = kSigned && length != 0 && (x[i] >> last & 1U) != 0;
        const T part = start >= kBits || length == 0 ? T{0} : static_cast<T>(x[i] >> start);
        const T keep = length >= kBits ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
        const U32 there = start >= kBits ? 0 : kBits - start;  // bits of the field that exist
        const T exist = there >= kBits ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << there) - 1);
        d[i] = static_cast<T>((part & keep) | (sign ? static_cast<T>(~(keep & exist)) : T{0}));
    });
    return true;
}

// bfi: a's lowest bits into b.
template <typename T>
bool insert(Warp& warp, const Op& op, std::uint32_t mask) {
    constexpr U32 kBits = 8 * sizeof(T);
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    const U32* const from = lanes<U32>(warp, op.c);
    const U32* const size = lanes<U32>(warp, op.more[0]);
    T* const d = lanes<T>(warp, op.d);
    each_active(mask, [=](unsigned i) {
        const U32 start = place<T>(from[i]);
        const U32 length = place<T>(size[i]);
        const T low = length >= kBits ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
        const T field = start >= kBits ? T{0} : static_cast<T>(low << start);
        const T value = start >= kBits ? T{0} : static_cast<T>(x[i] << start);
        d[i] = static_cast<T>((y[i] & ~field) | (value & field));
    });
    return true;
}

// bmsk: `b` ones from bit `a` on.
bool ones(Warp& warp, const Op& op, std::uint32_t mask) {
    const U32* const from = lanes<U32>(warp, op.a);
    const U32* const size = lanes<U32>(warp, op.b);
    U32* const d = lanes<U32>(warp, op.d);
    each_active(mask, [=, &op](unsigned i) {
        const U32 start = op.mode.wraps ? from[i] & 31U : from[i];
        const U32 length = op.mode.wraps ? size[i] & 31U : size[i];
        const std::uint64_t run = length >= 32 ? kAllLanes : (std::uint64_t{1} << length) - 1;
        d[i] = start >= 32 ? 0U : static_cast<U32>(run << start);
    });
    return true;
}

// szext: the lowest `b` bits, extended.
template <bool Signed>
bool extend(Warp& warp, const Op& op, std::uint32_t mask) {
    const U32* const x = lanes<U32>(warp, op.a);
    const U32* const size = lanes<U32>(warp, op.b);
    U32* const d = lanes<U32>(warp, op.d);
    each_active(mask, [=, &op](unsigned i) {
        const U32 length = op.mode.wraps ? size[i] & 31U : size[i] > 32 ? 32 : size[i];
        const U32 unused = 32 - length;
        const U32 up = length == 0 ? 0 : x[i] << unused;
        d[i] = length == 0 ? 0 : Signed ? static_cast<U32>(static_cast<std::int32_t>(up) >> unused) : up >> unused;
    });
    return true;
}

// fns: where the n-th set bit is from bit `b` on, up or (n < 0) down; n = 0: b itself, where it is set.
bool find_nth(Warp& warp, const Op& op, std::uint32_t mask) {
    const U32* const x = lanes<U32>(warp, op.a);
    const U32* const from = lanes<U32>(warp, op.b);
    const std::int32_t* const number = lanes<std::int32_t>(warp, op.c);
    U32* const d = lanes<U32>(warp, op.d);
    each_active(mask, [=](unsigned i) {
        std::int64_t left = number[i] < 0 ? -std::int64_t{number[i]} : number[i];
        const int step = number[i] < 0 ? -1 : 1;
        const std::int64_t last = left == 0 ? from[i] : step > 0 ? 31 : 0;
        left = left == 0 ? 1 : left;
        U32 found = kAllLanes;
        for (std::int64_t at = from[i]; at < 32 && (step > 0 ? at <= last : at >= last) && left != 0; at += step) {
            left -= x[i] >> at & 1U;
            found = left == 0 ? static_cast<U32>(at) : found;
        }
        d[i] = found;
    });
    return true;
}

// prmt: four bytes chosen of eight.
bool permute(Warp& warp, const Op& op, std::uint32_t mask) {
    const U32* const x = lanes<U32>(warp, op.a);
    const U32* const y = lanes<U32>(warp, op.b);
    const U32* const z = lanes<U32>(warp, op.c);
    each(lanes<U32>(warp, op.d), mask, [=, &op](unsigned i) {
        const std::uint64_t both = std::uint64_t{y[i]} << 32U | x[i];
        U32 selector = z[i];
        const U32 s = selector & 3U;
        switch (op.mode.permutation) {
            case Permutation::kForward4:
                selector = 0x3210U + 0x1111U * s;
                break;
            case Permutation::kBackward4:
                selector = (s == 0 ? 0x5670U : s == 1 ? 0x6701U : s == 2 ? 0x7012U : 0x0123U);
                break;
            case Permutation::kReplicate8:
                selector = 0x1111U * s;
                break;
            case Permutation::kClampLeft:
                selector = s == 0 ? 0x3210U : s == 1 ? 0x3211U : s == 2 ? 0x3222U : 0x3333U;
                break;
            case Permutation::kClampRight:
                selector = s == 0 ? 0x0000U : s == 1 ? 0x1110U : s == 2 ? 0x2210U : 0x3210U;
                break;
            case Permutation::kReplicate16:
                selector = (s & 1U) != 0 ? 0x3232U : 0x1010U;
                break;
            case Permutation::kSelector:
                break;
        }
        U32 result = 0;
        for (unsigned k = 0; k < 4; ++k) {
            const U32 which = selector >> (4 * k);
            const auto byte = static_cast<U32>(both >> (8 * (which & 7U)) & 0xFFU);
            const U32 sign = (byte & 0x80U) != 0 ? 0xFFU : 0U;
            result |= ((which & 8U) != 0 && op.mode.permutation == Permutation::kSelector ? sign : byte) << (8 * k);
        }
        return result;
    });
    return true;
}

template <typename T>
Handler logic(Operation operation) {
    switch (operation) {
        case Operation::kAnd:
            return bit_and<T>;
        case Operation::kOr:
            return bit_or<T>;
        case Operation::kXor:
            return bit_xor<T>;
        case Operation::kNot:
            return bit_not<T>;
        case Operation::kLogicNot:
            return logic_not<T>;
        case Operation::kShiftLeft:
            return shift_left<T>;
        default:
            return nullptr;
    }
}

template <typename U, typename S>
Handler wide(Operation operation, bool is_signed) {
    switch (operation) {
        case Operation::kPopulation:
            return population<U>;
        case Operation::kLeadingZeros:
            return leading_zeros<U>;
        case Operation::kFindHigh:
            return is_signed ? find_high<U, S> : find_high<U, U>;
        case Operation::kReverse:
            return reverse<U>;
        case Operation::kExtract:
            return is_signed ? extract<U, S> : extract<U, U>;
        case Operation::kInsert:
            return insert<U>;
        default:
            return nullptr;
    }
}

}  // namespace

Handler pick_bits(const Pick& wanted) {
    const bool is_signed = wanted.type == Type::kS16 || wanted.type == Type::kS32 || wanted.type == Type::kS64;
    const unsigned size = bytes(wanted.type);
    Handler found = size == 2   ? logic<std::uint16_t>(wanted.operation)
                    : size == 4 ? logic<std::uint32_t>(wanted.operation)
                    : size == 8 ? logic<std::uint64_t>(wanted.operation)
                                : nullptr;
    if (found == nullptr && size == 4) {
        found = wide<std::uint32_t, std::int32_t>(wanted.operation, is_signed);
    }
    if (found == nullptr && size == 8) {
        found = wide<std::uint64_t, std::int64_t>(wanted.operation, is_signed);
    }
    if (found != nullptr) {
        return found;
    }
    switch (wanted.operation) {
        case Operation::kShiftRight:
            return size == 2   ? (is_signed ? shift_right<std::int16_t> : shift_right<std::uint16_t>)
                   : size == 4 ? (is_signed ? shift_right<std::int32_t> : shift_right<std::uint32_t>)
                   : size == 8 ? (is_signed ? shift_right<std::int64_t> : shift_right<std::uint64_t>)
                               : nullptr;
        case Operation::kFunnelLeft:
            return funnel<true>;
        case Operation::kFunnelRight:
            return funnel<false>;
        case Operation::kLogic3:
            return logic3;
        case Operation::kMask:
            return ones;
        case Operation::kExtendSign:
            return is_signed ? extend<true> : extend<false>;
        case Operation::kFindNth:
            return find_nth;
        case Operation::kPermute:
            return permute;
        default:
            return nullptr;
    }
}

}  // namespace kymo::gpu::ptx::KYMO_LANES
