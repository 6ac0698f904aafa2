// cvt: between all types, with every rounding.
#include "gpu/ptx/lanes/half_number.h"

#include <limits>

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

constexpr bool is_integer(Type type) {
    return type >= Type::kB8 && type <= Type::kS64;
}

// Whole numbers of any width in registers of any width. The types' widths are in op.count (source) and
// op.mode.width (result), in bits; op.flags: kSignFlag the source is signed, 2 the result is, kSaturateFlag.
template <typename D, typename S>
bool whole(Warp& warp, const Op& op, std::uint32_t mask) {
    const S* const x = lanes<S>(warp, op.a);
    const unsigned source_unused = 64U - op.count;
    const unsigned result_unused = 64U - op.mode.width;
    const bool from_signed = (op.flags & kSignFlag) != 0;
    const bool to_signed = (op.flags & 2U) != 0;
    if (from_signed) {
        each(lanes<D>(warp, op.d), mask, [=](unsigned i) {
            const std::uint64_t up = static_cast<std::uint64_t>(x[i]) << source_unused;
            const std::uint64_t value = static_cast<std::uint64_t>(static_cast<std::int64_t>(up) >> source_unused)
                                        << result_unused;
            return static_cast<D>(to_signed
                                      ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> result_unused)
                                      : value >> result_unused);
        });
    } else {
        each(lanes<D>(warp, op.d), mask, [=](unsigned i) {
            const std::uint64_t value = (static_cast<std::uint64_t>(x[i]) << source_unused >> source_unused)
                                        << result_unused;
            return static_cast<D>(to_signed
                                      ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> result_unused)
                                      : value >> result_unused);
        });
    }
    return true;
}

// The frequent one: sign or zero extension between the registers' own widths.
template <typename D, typename S>
bool plain(Warp& warp, const Op& op, std::uint32_t mask) {
    const S* const x = lanes<S>(warp, op.a);
    each(lanes<D>(warp, op.d), mask, [=](unsigned i) { return static_cast<D>(x[i]); });
    return true;
}

template <typename D, typename S>
bool whole_saturated(Warp& warp, const Op& op, std::uint32_t mask) {
    const S* const x = lanes<S>(warp, op.a);
    D* const d = lanes<D>(warp, op.d);
    const unsigned unused = 64U - op.count;
    each_active(mask, [=, &op](unsigned i) {
        const std::uint64_t up = static_cast<std::uint64_t>(x[i]) << unused;
        const bool from_signed = (op.flags & kSignFlag) != 0;
        const __int128 value =
            from_signed ? __int128{static_cast<std::int64_t>(up) >> unused} : __int128{up >> unused};
        const bool to_signed = (op.flags & 2U) != 0;
        const __int128 most = (__int128{1} << (op.mode.width - (to_signed ? 1 : 0))) - 1;
        const __int128 least = to_signed ? -most - 1 : 0;
        d[i] = static_cast<D>(value > most ? most : value < least ? least : value);
    });
    return true;
}

template <typename D>
Handler whole_from(const Pick& wanted) {
    if (wanted.saturate) {
        return wanted.source_bits == 16   ? whole_saturated<D, std::uint16_t>
               : wanted.source_bits == 32 ? whole_saturated<D, std::uint32_t>
               : wanted.source_bits == 64 ? whole_saturated<D, std::uint64_t>
                                          : nullptr;
    }
    if (8 * bytes(wanted.source) == wanted.source_bits && 8 * bytes(wanted.type) == wanted.result_bits) {
        const bool sign = is_signed(wanted.source);
        return wanted.source_bits == 16   ? (sign ? plain<D, std::int16_t> : plain<D, std::uint16_t>)
               : wanted.source_bits == 32 ? (sign ? plain<D, std::int32_t> : plain<D, std::uint32_t>)
               : wanted.source_bits == 64 ? plain<D, std::uint64_t>
                                          : nullptr;
    }
    return wanted.source_bits == 16   ? whole<D, std::uint16_t>
           : wanted.source_bits == 32 ? whole<D, std::uint32_t>
           : wanted.source_bits == 64 ? whole<D, std::uint64_t>
                                      : nullptr;
}

// A floating-point number as registers hold it.
struct Single {
    using Stored = float;
    static double get(float value) { return value; }
    static float put(double value, Rounding) { return canonical(static_cast<float>(value)); }
};
struct Double {
    using Stored = double;
    static double get(double value) { return value; }
    static double put(double value, Rounding) { return value; }
};
inline double to_whole(double value, Rounding rounding) {
    return rounding == Rounding::kZero   ? __builtin_trunc(value)
           : rounding == Rounding::kDown ? __builtin_floor(value)
           : rounding == Rounding::kUp   ? __builtin_ceil(value)
                                         : __builtin_nearbyint(value);
}

// Whole number to floating point. The sum of two halves of a 64-bit number would round twice; a conversion to the
// result's own type under the wanted rounding does not.
template <typename N, typename S>
bool whole_to_float(Warp& warp, const Op& op, std::uint32_t mask) {
    const S* const x = lanes<S>(warp, op.a);
    auto* const d = lanes<typename N::Stored>(warp, op.d);
    const unsigned unused = 64U - op.count;
    const auto rounding = op.mode.rounding;
    // Halves are rounded from a double; a whole number that does not fit into one is first rounded to odd.
    constexpr bool kNarrow = sizeof(typename N::Stored) == 2;
    const RoundingScope scope(kNarrow ? Rounding::kZero : rounding);
    each_active(mask, [=, &op](unsigned i) {
        const std::uint64_t up = static_cast<std::uint64_t>(x[i]) << unused;
        const bool sign = (op.flags & kSignFlag) != 0;
        const std::int64_t as_signed = static_cast<std::int64_t>(up) >> unused;
        const std::uint64_t as_unsigned = up >> unused;
        if constexpr (kNarrow) {
            double value = sign ? static_cast<double>(as_signed) : static_cast<double>(as_unsigned);
            bool exact =
                sign ? static_cast<__int128>(value) == as_signed : static_cast<__int128>(value) == as_unsigned;
            if ((op.flags & kSaturateFlag) != 0) {
                value = saturated(value);
                exact = true;
            }
            d[i] = N::put(exact ? value : as<double>(as<std::uint64_t>(value) | 1U), rounding);
        } else {
            using T = typename N::Stored;
            const T value = sign ? static_cast<T>(as_signed) : static_cast<T>(as_unsigned);
            d[i] = (op.flags & kSaturateFlag) != 0 ? saturated(value) : value;
        }
    });
    return true;
}

// s32 and u32 to f32 and f64, to nearest.
template <typename D, typename S>
bool quick_to_float(Warp& warp, const Op& op, std::uint32_t mask) {
    const S* const x = lanes<S>(warp, op.a);
    each(lanes<D>(warp, op.d), mask, [=](unsigned i) { return static_cast<D>(x[i]); });
    return true;
}

// Floating point to whole number: out of range becomes the nearest in range. op.count: the result type's bits.
template <typename D, typename N>
bool float_to_whole(Warp& warp, const Op& op, std::uint32_t mask) {
    const auto* const x = lanes<typename N::Stored>(warp, op.a);
    D* const d = lanes<D>(warp, op.d);
    const auto rounding = op.mode.rounding;
    const bool to_signed = (op.flags & 2U) != 0;
    const unsigned width = op.count;
    const bool nan_is_top = width == 64 || sizeof(typename N::Stored) == 8;
    const double most =
        __builtin_ldexp(1.0, static_cast<int>(width) - (to_signed ? 1 : 0));  // one more than the greatest
    each_active(mask, [=, &op](unsigned i) {
        double value = N::get(x[i]);
        if ((op.flags & kFlushFlag) != 0) {
            value = flushed(static_cast<float>(value)) == 0 ? 0 : value;
        }
        if (value != value) {
            const std::int64_t least = std::numeric_limits<std::int64_t>::min() >> (64 - width);
            d[i] = static_cast<D>(!nan_is_top ? 0 : to_signed ? least : std::int64_t{1} << (width - 1));
            return;
        }
        value = to_whole(value, rounding);
        if (to_signed) {
            const std::int64_t top = static_cast<std::int64_t>((std::uint64_t{1} << (width - 1)) - 1);
            d[i] = static_cast<D>(value >= most ? top : value <= -most ? -top - 1 : static_cast<std::int64_t>(value));
        } else {
            const std::uint64_t top = ~std::uint64_t{0} >> (64 - width);
            d[i] = static_cast<D>(value >= most ? top : value <= 0 ? 0 : static_cast<std::uint64_t>(value));
        }
    });
    return true;
}

template <typename D, typename S>
bool float_to_float(Warp& warp, const Op& op, std::uint32_t mask) {
    const auto* const x = lanes<typename S::Stored>(warp, op.a);
    auto* const d = lanes<typename D::Stored>(warp, op.d);
    const auto rounding = op.mode.rounding;
    const RoundingScope scope(sizeof(typename D::Stored) == 4 ? rounding : Rounding::kNearest);
    each_active(mask, [=, &op](unsigned i) {
        double value = S::get(x[i]);
        if ((op.flags & kFlushFlag) != 0 && sizeof(typename S::Stored) == 4) {
            value = flushed(static_cast<float>(value));
        }
        if ((op.flags & kWholeFlag) != 0) {
            value = to_whole(value, rounding);
        }
        if ((op.flags & kSaturateFlag) != 0) {
            value = saturated(value);
        }
        if ((op.flags & kReluFlag) != 0 && value < 0) {
            value = 0;
        }
        const typename D::Stored result = D::put(value, rounding);
        if constexpr (sizeof(typename D::Stored) == 4) {
            d[i] = (op.flags & kFlushFlag) != 0 ? flushed(result) : result;
        } else {
            d[i] = result;
        }
    });
    return true;
}

template <typename D, typename S>
bool quick_float(Warp& warp, const Op& op, std::uint32_t mask) {
    const S* const x = lanes<S>(warp, op.a);
    each(lanes<D>(warp, op.d), mask, [=](unsigned i) { return canonical(static_cast<D>(x[i])); });
    return true;
}

// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half.
template <typename N>
bool pair(Warp& warp, const Op& op, std::uint32_t mask) {
    const float* const x = lanes<float>(warp, op.a);
    const float* const y = lanes<float>(warp, op.b);
    std::uint32_t* const d = lanes<std::uint32_t>(warp, op.d);
    const auto rounding = op.mode.rounding;
    each_active(mask, [=, &op](unsigned i) {
        const bool relu = (op.flags & kReluFlag) != 0;
        const float a = relu && x[i] < 0 ? 0.0F : x[i];
        const float b = relu && y[i] < 0 ? 0.0F : y[i];
        d[i] = static_cast<std::uint32_t>(N::put(a, rounding)) << 16U | N::put(b, rounding);
    });
    return true;
}

template <typename D>
Handler float_from(const Pick& wanted) {
    switch (wanted.source) {
        case Type::kF32:
            return float_to_float<D, Single>;
        case Type::kF64:
            return float_to_float<D, Double>;
        case Type::kF16:
            return float_to_float<D, OfHalf>;
        case Type::kBf16:
            return float_to_float<D, OfBfloat>;
        default:
            break;
    }
    if (!is_integer(wanted.source)) {
        return nullptr;
    }
    return wanted.source_bits == 16   ? whole_to_float<D, std::uint16_t>
           : wanted.source_bits == 32 ? whole_to_float<D, std::uint32_t>
           : wanted.source_bits == 64 ? whole_to_float<D, std::uint64_t>
                                      : nullptr;
}

template <typename D>
Handler whole_from_float(const Pick& wanted) {
    switch (wanted.source) {
        case Type::kF32:
            return float_to_whole<D, Single>;
        case Type::kF64:
            return float_to_whole<D, Double>;
        case Type::kF16:
            return float_to_whole<D, OfHalf>;
        case Type::kBf16:
            return float_to_whole<D, OfBfloat>;
        default:
            return nullptr;
    }
}

Handler quick(const Pick& wanted) {
    if (wanted.rounding != Rounding::kNearest || wanted.saturate || wanted.flush || wanted.to_integer ||
        wanted.relu) {
        return nullptr;
    }
    if (wanted.source_bits == 32 && wanted.source == Type::kS32) {
        return wanted.type == Type::kF32   ? quick_to_float<float, std::int32_t>
               : wanted.type == Type::kF64 ? quick_to_float<double, std::int32_t>
                                           : nullptr;
    }
    if (wanted.source_bits == 32 && wanted.source == Type::kU32) {
        return wanted.type == Type::kF32   ? quick_to_float<float, std::uint32_t>
               : wanted.type == Type::kF64 ? quick_to_float<double, std::uint32_t>
                                           : nullptr;
    }
    if (wanted.source == Type::kF32 && wanted.type == Type::kF64) {
        return quick_float<double, float>;
    }
    if (wanted.source == Type::kF64 && wanted.type == Type::kF32) {
        return quick_float<float, double>;
    }
    return nullptr;
}

}  // namespace

Handler pick_convert(const Pick& wanted) {
    if (wanted.operation == Operation::kConvertPair) {
        return wanted.source != Type::kF32    ? nullptr
               : wanted.type == Type::kF16x2  ? pair<OfHalf>
               : wanted.type == Type::kBf16x2 ? pair<OfBfloat>
                                              : nullptr;
    }
    if (wanted.operation != Operation::kConvert) {
        return nullptr;
    }
    if (const Handler found = quick(wanted)) {
        return found;
    }
    if (is_integer(wanted.type)) {
        if (is_integer(wanted.source)) {
            return wanted.result_bits == 16   ? whole_from<std::uint16_t>(wanted)
                   : wanted.result_bits == 32 ? whole_from<std::uint32_t>(wanted)
                   : wanted.result_bits == 64 ? whole_from<std::uint64_t>(wanted)
                                              : nullptr;
        }
        return wanted.result_bits == 16   ? whole_from_float<std::uint16_t>(wanted)
               : wanted.result_bits == 32 ? whole_from_float<std::uint32_t>(wanted)
               : wanted.result_bits == 64 ? whole_from_float<std::uint64_t>(wanted)
                                          : nullptr;
    }
    switch (wanted.type) {
        case Type::kF32:
            return float_from<Single>(wanted);
        case Type::kF64:
            return float_from<Double>(wanted);
        case Type::kF16:
            return float_from<OfHalf>(wanted);
        case Type::kBf16:
            return float_from<OfBfloat>(wanted);
        default:
            return nullptr;
    }
}

}  // namespace kymo::gpu::ptx::KYMO_LANES
