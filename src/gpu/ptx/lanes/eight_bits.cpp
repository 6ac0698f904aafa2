// Conversions between pairs of 8-bit floating-point numbers and pairs of halves or singles.
//
// Conversion to eight bits rounds to nearest, ties to even, and saturates at the greatest finite number; NaN
// becomes 0x7F. Conversion from eight bits is exact. Source: OCP 8-bit Floating Point Specification (2023); PTX
// ISA 9.0, cvt.
#include "gpu/ptx/lanes/half_number.h"

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

struct E4m3 {
    static constexpr int kFraction = 3;
    static constexpr int kBias = 7;
    static constexpr unsigned kMost = 0x7E;  // 448; the format has no infinity
    static constexpr unsigned kInfinity = 0x7F;
};
struct E5m2 {
    static constexpr int kFraction = 2;
    static constexpr int kBias = 15;
    static constexpr unsigned kMost = 0x7B;  // 57,344
    static constexpr unsigned kInfinity = 0x7C;
};
constexpr unsigned kNoNumber = 0x7F;

template <typename N>
unsigned encode(float value, bool relu) {
    if (value != value) {
        return kNoNumber;
    }
    const unsigned sign = as<std::uint32_t>(value) >> 31U << 7U;
    if (relu && sign != 0) {
        return 0;
    }
    const double size = __builtin_fabs(static_cast<double>(value));
    int exponent = static_cast<int>(as<std::uint64_t>(size) >> 52U) - 1023;
    if (exponent > 1023) {
        return sign | N::kMost;
    }
    exponent = exponent < 1 - N::kBias ? 1 - N::kBias : exponent;
    // In units of the last place, exact: a power of two scales.
    const double units = size * as<double>(static_cast<std::uint64_t>(1023 + N::kFraction - exponent) << 52U);
    const auto whole = static_cast<unsigned>(__builtin_nearbyint(units));
    // A denormal's exponent field is 0; carrying over into the next exponent comes by itself.
    const bool normal = whole >> N::kFraction != 0;
    const unsigned code = normal ? (static_cast<unsigned>(exponent + N::kBias - 1) << N::kFraction) + whole : whole;
    return sign | (code > N::kMost ? N::kMost : code);
}

// As a half: both formats lie within its range.
template <typename N>
std::uint16_t decode(unsigned code, bool relu) {
    const unsigned size = code & 0x7FU;
    if (size > N::kInfinity || (size == N::kInfinity && N::kInfinity == kNoNumber)) {
        return 0x7FFF;
    }
    const unsigned sign = (code & 0x80U) << 8U;
    if (relu && sign != 0) {
        return 0;
    }
    if (size == N::kInfinity) {
        return static_cast<std::uint16_t>(sign | 0x7C00U);
    }
    const unsigned exponent = size >> N::kFraction;
    const unsigned fraction = size & ((1U << N::kFraction) - 1U);
    const double scale = as<double>(
        static_cast<std::uint64_t>(1023 + (exponent == 0 ? 1 : static_cast<int>(exponent)) - N::kBias - N::kFraction)
        << 52U);
    const unsigned whole = exponent == 0 ? fraction : fraction | 1U << N::kFraction;
    return static_cast<std::uint16_t>(sign | to_half(whole * scale).bits);
}

// cvt.rn.satfinite.e4m3x2.f32 d, a, b: a becomes the upper byte.
template <typename N>
bool from_singles(Warp& warp, const Op& op, std::uint32_t mask) {
    const float* const x = lanes<float>(warp, op.a);
    const float* const y = lanes<float>(warp, op.b);
    std::uint16_t* const d = lanes<std::uint16_t>(warp, op.d);
    const bool relu = (op.flags & kReluFlag) != 0;
    each_active(mask, [=](unsigned i) {
        d[i] = static_cast<std::uint16_t>(encode<N>(x[i], relu) << 8U | encode<N>(y[i], relu));
    });
    return true;
}

template <typename N>
bool from_halves(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint32_t* const x = lanes<std::uint32_t>(warp, op.a);
    std::uint16_t* const d = lanes<std::uint16_t>(warp, op.d);
    const bool relu = (op.flags & kReluFlag) != 0;
    each_active(mask, [=](unsigned i) {
        const float low = to_float(Half{static_cast<std::uint16_t>(x[i])});
        const float high = to_float(Half{static_cast<std::uint16_t>(x[i] >> 16U)});
        d[i] = static_cast<std::uint16_t>(encode<N>(high, relu) << 8U | encode<N>(low, relu));
    });
    return true;
}

template <typename N>
bool into_halves(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint16_t* const x = lanes<std::uint16_t>(warp, op.a);
    std::uint32_t* const d = lanes<std::uint32_t>(warp, op.d);
    const bool relu = (op.flags & kReluFlag) != 0;
    each_active(mask, [=](unsigned i) {
        d[i] = static_cast<std::uint32_t>(decode<N>(x[i] >> 8U, relu)) << 16U | decode<N>(x[i] & 0xFFU, relu);
    });
    return true;
}

template <typename N>
Handler into_eight(Type source) {
    return source == Type::kF32 ? from_singles<N> : source == Type::kF16x2 ? from_halves<N> : nullptr;
}

}  // namespace

Handler pick_eight_bits(const Pick& wanted) {
    if (wanted.operation != Operation::kConvertPair) {
        return nullptr;
    }
    if (wanted.type == Type::kF16x2) {
        return wanted.source == Type::kE4m3x2   ? into_halves<E4m3>
               : wanted.source == Type::kE5m2x2 ? into_halves<E5m2>
                                                : nullptr;
    }
    return wanted.type == Type::kE4m3x2   ? into_eight<E4m3>(wanted.source)
           : wanted.type == Type::kE5m2x2 ? into_eight<E5m2>(wanted.source)
                                          : nullptr;
}

}  // namespace kymo::gpu::ptx::KYMO_LANES
