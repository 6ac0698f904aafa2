// Half precision and bfloat16 numbers as 16 bits: to and from float and double, every rounding of the conversion
// exact.
#pragma once

#include "gpu/ptx/lanes/rounding.h"

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

struct Half {
    std::uint16_t bits;
};
struct Bfloat {
    std::uint16_t bits;
};

[[maybe_unused]] inline float to_float(Half half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000U) << 16U;
    const std::uint32_t exponent = half.bits >> 10U & 31U;
    const std::uint32_t fraction = half.bits & 0x3FFU;
    if (exponent == 31) {
        return as<float>(sign | 0x7F80'0000U | fraction << 13U);
    }
    if (exponent == 0) {
        const float small = static_cast<float>(fraction) * 0x1p-24F;
        return as<float>(sign | as<std::uint32_t>(small));
    }
    return as<float>(sign | (exponent + 112) << 23U | fraction << 13U);
}
[[maybe_unused]] inline float to_float(Bfloat number) {
    return as<float>(static_cast<std::uint32_t>(number.bits) << 16U);
}

// To `Fraction` bits behind the point and exponents from 1 − Bias; `value` is exact or rounded to odd.
template <unsigned Fraction, int Bias>
[[maybe_unused]] inline std::uint16_t rounded(double value, Rounding rounding) {
    constexpr unsigned kExponentBits = 15 - Fraction;
    constexpr std::uint32_t kInfinity = ((1U << kExponentBits) - 1U) << Fraction;
    const auto word = as<std::uint64_t>(value);
    const std::uint32_t sign = static_cast<std::uint32_t>(word >> 48U) & 0x8000U;
    if (value != value) {
        return 0x7FFF;
    }
    const double size = as<double>(word & ~(std::uint64_t{1} << 63U));
    if (size == 0) {
        return static_cast<std::uint16_t>(sign);
    }
    int exponent = static_cast<int>(word >> 52U & 0x7FFU) - 1023;
    const bool infinite = exponent == 1024;
    exponent = exponent < 1 - Bias ? 1 - Bias : exponent;
    // In units of the last place: exact, since a power of two scales.
    const double units =
        infinite ? 0
                 : size * as<double>(static_cast<std::uint64_t>(1023 + static_cast<int>(Fraction) - exponent) << 52U);
    auto whole = static_cast<std::uint64_t>(units);
    const double rest = units - static_cast<double>(whole);
    const bool up = rounding == Rounding::kNearest ? rest > 0.5 || (rest == 0.5 && (whole & 1U) != 0)
                    : rounding == Rounding::kAway  ? rest >= 0.5
                    : rounding == Rounding::kUp    ? rest > 0 && sign == 0
                    : rounding == Rounding::kDown  ? rest > 0 && sign != 0
                                                   : false;
    whole += up ? 1 : 0;
    // A denormal's exponent field is 0; carrying over into the next exponent comes by itself.
    const bool normal = whole >> Fraction != 0;
    std::uint64_t packed = normal ? (static_cast<std::uint64_t>(exponent + Bias - 1) << Fraction) + whole : whole;
    if (infinite || packed >= kInfinity) {
        const bool stays = !infinite && (rounding == Rounding::kZero || (rounding == Rounding::kUp && sign != 0) ||
                                         (rounding == Rounding::kDown && sign == 0));
        packed = stays ? kInfinity - 1 : kInfinity;
    }
    return static_cast<std::uint16_t>(sign | packed);
}
[[maybe_unused]] inline Half to_half(double value, Rounding rounding = Rounding::kNearest) {
    return {rounded<10, 15>(value, rounding)};
}
[[maybe_unused]] inline Bfloat to_bfloat(double value, Rounding rounding = Rounding::kNearest) {
    return {rounded<7, 127>(value, rounding)};
}

// The two as registers hold them, under names that templates take.
struct OfHalf {
    using Stored = std::uint16_t;
    static double get(std::uint16_t value) { return to_float(Half{value}); }
    static std::uint16_t put(double value, Rounding rounding) { return to_half(value, rounding).bits; }
};
struct OfBfloat {
    using Stored = std::uint16_t;
    static double get(std::uint16_t value) { return to_float(Bfloat{value}); }
    static std::uint16_t put(double value, Rounding rounding) { return to_bfloat(value, rounding).bits; }
};

// a·b + c for products that are exact: the sum rounded to odd, so that rounding it again is right (Boldo and
// Melquiond, 2008).
[[maybe_unused]] inline double sum_to_odd(double product, double c) {
    const double sum = product + c;
    const double part = sum - product;
    const double error = (product - (sum - part)) + (c - part);
    const auto word = as<std::uint64_t>(sum);
    if (error == 0 || error != error || (word & 1U) != 0 || sum - sum != 0) {
        return sum;
    }
    const bool outward = (error > 0) == (sum > 0);
    return as<double>(outward ? word + 1 : word - 1);
}

}  // namespace
}  // namespace kymo::gpu::ptx::KYMO_LANES
