// Half precision and bfloat16, one or two in a register.
#include "gpu/ptx/lanes/half_number.h"

#include <type_traits>

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

inline void back(double value, Half& out) {
    out = to_half(value);
}
inline void back(double value, Bfloat& out) {
    out = to_bfloat(value);
}

// Denormal halves, under .ftz.
inline float half_flushed(Half, float value) {
    return value < 0x1p-14F && value > -0x1p-14F ? __builtin_copysignf(0.0F, value) : value;
}
inline float half_flushed(Bfloat, float value) {
    return flushed(value);
}

// A number's bits; under .ftz its sign alone where `value`, which it is then flushed to, is 0.
template <typename N>
inline std::uint16_t bits_flushed(const Op& op, N number, double value) {
    return (op.flags & kFlushFlag) != 0 && value == 0 ? number.bits & 0x8000U : number.bits;
}

template <typename N>
inline std::uint16_t apply(const Op& op, Operation operation, N x, N y, N z) {
    double a = to_float(x);
    double b = to_float(y);
    double c = to_float(z);
    if ((op.flags & kFlushFlag) != 0) {
        a = half_flushed(x, static_cast<float>(a));
        b = half_flushed(y, static_cast<float>(b));
        c = half_flushed(z, static_cast<float>(c));
    }
    const bool xor_sign = (op.flags & kXorSignFlag) != 0;
    const double sign = __builtin_signbit(a) != __builtin_signbit(b) ? -1 : 1;
    if (xor_sign) {
        a = __builtin_fabs(a);
        b = __builtin_fabs(b);
    }
    double value = 0;
    bool first = false;
    switch (operation) {
        case Operation::kAdd:
            value = sum_to_odd(a, b);
            break;
        case Operation::kSub:
            value = sum_to_odd(a, -b);
            break;
        case Operation::kMul:
            value = a * b;
            break;
        case Operation::kMad:
        case Operation::kFma:
            value = sum_to_odd(a * b, c);
            break;
        case Operation::kNegate:
            return static_cast<std::uint16_t>(bits_flushed(op, x, a) ^ 0x8000U);
        case Operation::kAbsolute:
            return static_cast<std::uint16_t>(bits_flushed(op, x, a) & 0x7FFFU);
        case Operation::kLeast:
        case Operation::kGreatest:
            if (a != a || b != b) {
                const bool both = (op.flags & kNanFlag) != 0 || (a != a && b != b);
                value = both ? as<double>(0x7FF8'0000'0000'0000ULL) : a != a ? b : a;
                value = xor_sign ? __builtin_copysign(value, sign) : value;
                break;
            }
            first = operation == Operation::kLeast ? a < b || (a == b && __builtin_signbit(a))
                                                   : a > b || (a == b && !__builtin_signbit(a));
            value = xor_sign ? __builtin_copysign(first ? a : b, sign) : first ? a : b;
            break;
        case Operation::kExp2:
            value = std::exp2(a);
            break;
        case Operation::kTanh:
            value = std::tanh(a);
            break;
        default:
            break;
    }
    if ((op.flags & kReluFlag) != 0 && value < 0) {
        value = 0;
    }
    if ((op.flags & kSaturateFlag) != 0) {
        value = saturated(value);
    }
    N out{};
    back(value, out);
    // As in single precision: what is flushed is what would be less than the least normal number at full precision.
    const bool is_half = std::is_same_v<N, Half>;
    N scaled{};
    back(value * (is_half ? 0x1p10 : 0x1p64), scaled);
    const float size = __builtin_fabsf(to_float(scaled));
    return bits_flushed(op, out, size < (is_half ? 0x1p-4F : 0x1p-62F) ? 0 : 1);
}

template <typename N, Operation What>
bool single(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint16_t* const x = lanes<std::uint16_t>(warp, op.a);
    const std::uint16_t* const y = lanes<std::uint16_t>(warp, op.b);
    const std::uint16_t* const z = lanes<std::uint16_t>(warp, op.c);
    std::uint16_t* const d = lanes<std::uint16_t>(warp, op.d);
    each_active(mask, [=, &op](unsigned i) { d[i] = apply<N>(op, What, N{x[i]}, N{y[i]}, N{z[i]}); });
    return true;
}

template <typename N, Operation What>
bool pair(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint32_t* const x = lanes<std::uint32_t>(warp, op.a);
    const std::uint32_t* const y = lanes<std::uint32_t>(warp, op.b);
    const std::uint32_t* const z = lanes<std::uint32_t>(warp, op.c);
    std::uint32_t* const d = lanes<std::uint32_t>(warp, op.d);
    const auto part = [](std::uint32_t both, unsigned at) { return N{static_cast<std::uint16_t>(both >> at)}; };
    each_active(mask, [=, &op](unsigned i) {
        const std::uint32_t low = apply<N>(op, What, part(x[i], 0), part(y[i], 0), part(z[i], 0));
        const std::uint32_t high = apply<N>(op, What, part(x[i], 16), part(y[i], 16), part(z[i], 16));
        d[i] = high << 16U | low;
    });
    return true;
}

template <Operation What>
Handler of(Type type) {
    switch (type) {
        case Type::kF16:
            return single<Half, What>;
        case Type::kBf16:
            return single<Bfloat, What>;
        case Type::kF16x2:
            return pair<Half, What>;
        case Type::kBf16x2:
            return pair<Bfloat, What>;
        default:
            return nullptr;
    }
}

}  // namespace

Handler pick_half(const Pick& wanted) {
    if (wanted.rounding != Rounding::kNearest) {
        return nullptr;
    }
    switch (wanted.operation) {
        case Operation::kAdd:
            return of<Operation::kAdd>(wanted.type);
        case Operation::kSub:
            return of<Operation::kSub>(wanted.type);
        case Operation::kMul:
            return of<Operation::kMul>(wanted.type);
        case Operation::kMad:
        case Operation::kFma:
            return of<Operation::kFma>(wanted.type);
        case Operation::kNegate:
            return of<Operation::kNegate>(wanted.type);
        case Operation::kAbsolute:
            return of<Operation::kAbsolute>(wanted.type);
        case Operation::kLeast:
            return of<Operation::kLeast>(wanted.type);
        case Operation::kGreatest:
            return of<Operation::kGreatest>(wanted.type);
        case Operation::kExp2:
            return of<Operation::kExp2>(wanted.type);
        case Operation::kTanh:
            return of<Operation::kTanh>(wanted.type);
        default:
            return nullptr;
    }
}

}  // namespace kymo::gpu::ptx::KYMO_LANES
