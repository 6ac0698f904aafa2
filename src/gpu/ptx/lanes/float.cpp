// Single and double precision. Compiled without contraction: what PTX rounds twice is rounded twice.
//
// Approximations (.approx, .full) are computed correctly rounded or nearly so, hence within what PTX allows them;
// GPUs differ from these in the last places.
#include "gpu/ptx/lanes/rounding.h"

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

inline float fused(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
inline double fused(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
inline float root(float a) {
    return __builtin_sqrtf(a);
}
inline double root(double a) {
    return __builtin_sqrt(a);
}
template <typename T>
inline T with_sign(T size, T sign);
template <>
inline float with_sign(float size, float sign) {
    return __builtin_copysignf(size, sign);
}
template <>
inline double with_sign(double size, double sign) {
    return __builtin_copysign(size, sign);
}

// Of min and max: a number wins over NaN, −0 is less than +0.
template <typename T, bool Greatest>
inline T choose(T a, T b) {
    const bool b_is_nan = __builtin_isnan(b);
    const bool first = Greatest ? a > b : a < b;
    const T equal = Greatest ? (__builtin_signbit(a) ? b : a) : (__builtin_signbit(a) ? a : b);
    const T number = a == b ? equal : first || b_is_nan ? a : b;
    return number;
}

struct Add {
    template <typename T>
    static T of(T a, T b, T) {
        return a + b;
    }
};
struct Sub {
    template <typename T>
    static T of(T a, T b, T) {
        return a - b;
    }
};
struct Mul {
    template <typename T>
    static T of(T a, T b, T) {
        return a * b;
    }
};
struct Div {
    template <typename T>
    static T of(T a, T b, T) {
        return a / b;
    }
};
struct Fma {
    template <typename T>
    static T of(T a, T b, T c) {
        return fused(a, b, c);
    }
};
struct Min {
    template <typename T>
    static T of(T a, T b, T) {
        return choose<T, false>(a, b);
    }
};
struct Max {
    template <typename T>
    static T of(T a, T b, T) {
        return choose<T, true>(a, b);
    }
};
struct Abs {
    template <typename T>
    static T of(T a, T, T) {
        return with_sign(a, T{1});
    }
};
struct Neg {
    template <typename T>
    static T of(T a, T, T) {
        return -a;
    }
};
struct Rcp {
    template <typename T>
    static T of(T a, T, T) {
        return T{1} / a;
    }
};
struct Sqrt {
    template <typename T>
    static T of(T a, T, T) {
        return root(a);
    }
};
struct Rsqrt {
    template <typename T>
    static T of(T a, T, T) {
        return T{1} / root(a);
    }
};

// .ftz: a result is 0 of its sign where, rounded to 24 bits of any exponent, it is less than the least normal number.
// What is just below that number and has 25 bits is rounded up to it among denormals, yet a GPU gives 0.
template <typename F>
inline float flushed_result(float value, float a, float b, float c) {
    if constexpr (std::is_same_v<F, Mul> || std::is_same_v<F, Fma>) {
        const double product = double{a} * double{b};
        const double exact = std::is_same_v<F, Mul> ? product : product + double{c};
        const auto rounded = static_cast<float>(exact * 0x1p64);
        return rounded < 0x1p-62F && rounded > -0x1p-62F ? as<float>(as<std::uint32_t>(value) & 0x8000'0000U) : value;
    } else {
        return flushed(value);
    }
}
template <typename F>
inline double flushed_result(double value, double, double, double) {
    return value;
}

// Sources beyond the operation's own are the first one again, so all three can be read.
template <typename F, typename T, bool Flush>
bool plain(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    const T* const z = lanes<T>(warp, op.c);
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) {
        if constexpr (Flush) {
            const T a = flushed(x[i]);
            const T b = flushed(y[i]);
            const T c = flushed(z[i]);
            return flushed_result<F>(canonical(F::of(a, b, c)), a, b, c);
        } else {
            return canonical(F::of(x[i], y[i], z[i]));
        }
    });
    return true;
}

// Everything that is rare: rounding modes, saturation, .NaN, .relu.
template <typename F, typename T>
bool careful(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    const T* const z = lanes<T>(warp, op.c);
    T* const d = lanes<T>(warp, op.d);
    const RoundingScope scope(op.mode.rounding);
    const bool flush = (op.flags & kFlushFlag) != 0;
    each_active(mask, [=, &op](unsigned i) {
        const bool xor_sign = (op.flags & kXorSignFlag) != 0;
        const T left = flush ? flushed(x[i]) : x[i];
        const T right = flush ? flushed(y[i]) : y[i];
        const T a = xor_sign ? with_sign(left, T{1}) : left;
        const T b = xor_sign ? with_sign(right, T{1}) : right;
        const T c = flush ? flushed(z[i]) : z[i];
        T value = canonical(F::of(a, b, c));
        value = flush ? flushed_result<F>(value, a, b, c) : value;
        if ((op.flags & kNanFlag) != 0 && (__builtin_isnan(a) || __builtin_isnan(b))) {
            value = canonical(a + b);
        }
        if ((op.flags & kReluFlag) != 0) {
            value = value > 0 || __builtin_isnan(value) ? value : T{0};
        }
        if (xor_sign && !__builtin_isnan(value)) {
            value = with_sign(value, __builtin_signbit(left) != __builtin_signbit(right) ? T{-1} : T{1});
        }
        d[i] = (op.flags & kSaturateFlag) != 0 ? saturated(value) : value;
    });
    return true;
}

template <typename F, typename T>
Handler form(const Pick& wanted) {
    if (wanted.saturate || wanted.relu || wanted.propagate_nan || wanted.xor_sign ||
        wanted.rounding != Rounding::kNearest) {
        return careful<F, T>;
    }
    return wanted.flush ? plain<F, T, true> : plain<F, T, false>;
}

struct Sine {
    static float of(float a) { return std::sin(a); }
};
struct Cosine {
    static float of(float a) { return std::cos(a); }
};
struct Log2 {
    static float of(float a) { return std::log2(a); }
};
struct Exp2 {
    static float of(float a) { return std::exp2(a); }
};
struct Tanh {
    static float of(float a) { return std::tanh(a); }
};

template <typename F>
bool transcendental(Warp& warp, const Op& op, std::uint32_t mask) {
    const float* const x = lanes<float>(warp, op.a);
    float* const d = lanes<float>(warp, op.d);
    const bool flush = (op.flags & kFlushFlag) != 0;
    each_active(mask, [=](unsigned i) {
        const float value = canonical(F::of(flush ? flushed(x[i]) : x[i]));
        d[i] = flush ? flushed(value) : value;
    });
    return true;
}

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: of the upper 32 bits alone; denormals count as 0. rsqrt.approx.f64
// takes all bits.
template <bool Root, bool Flush>
bool rough(Warp& warp, const Op& op, std::uint32_t mask) {
    const double* const x = lanes<double>(warp, op.a);
    double* const d = lanes<double>(warp, op.d);
    constexpr std::uint64_t kUpper = 0xFFFF'FFFF'0000'0000U;
    const auto normal = [](double value) {
        const auto word = as<std::uint64_t>(value) & kUpper;
        return as<double>(Flush && (word & 0x7FF0'0000'0000'0000U) == 0 ? word & 0x8000'0000'0000'0000U : word);
    };
    each_active(mask, [=](unsigned i) {
        const double a = Flush ? normal(x[i]) : x[i];
        d[i] = a != a ? a + a : Root && a == 0 ? 1.0 / a : normal(1.0 / (Root ? root(a) : a));
    });
    return true;
}

// div.approx.f32: a divisor from 2^126 on gives 0.
bool rough_division(Warp& warp, const Op& op, std::uint32_t mask) {
    const float* const x = lanes<float>(warp, op.a);
    const float* const y = lanes<float>(warp, op.b);
    float* const d = lanes<float>(warp, op.d);
    const bool flush = (op.flags & kFlushFlag) != 0;
    each_active(mask, [=](unsigned i) {
        const float a = flush ? flushed(x[i]) : x[i];
        const float b = flush ? flushed(y[i]) : y[i];
        const bool is_great = __builtin_fabsf(b) > 0x1p126F;
        const float value = canonical(is_great ? a * with_sign(0.0F, b) : a / b);
        d[i] = flush ? flushed(value) : value;
    });
    return true;
}

template <typename T>
bool copy_sign(Warp& warp, const Op& op, std::uint32_t mask) {  // a's sign, b's size
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) { return with_sign(y[i], x[i]); });
    return true;
}

// testp
template <typename T>
bool property(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    std::uint32_t result = 0;
    each_active(mask, [=, &op, &result](unsigned i) {
        const int kind = std::fpclassify(x[i]);
        const Property wanted = op.mode.property;
        const bool is = wanted == Property::kFinite       ? kind != FP_INFINITE && kind != FP_NAN
                        : wanted == Property::kInfinite   ? kind == FP_INFINITE
                        : wanted == Property::kNumber     ? kind != FP_NAN
                        : wanted == Property::kNotANumber ? kind == FP_NAN
                        : wanted == Property::kNormal     ? kind == FP_NORMAL || kind == FP_ZERO
                                                          : kind == FP_SUBNORMAL;
        result |= is ? 1U << i : 0U;
    });
    std::uint32_t& d = predicate(warp, op.d);
    d = (d & ~mask) | result;
    return true;
}

template <typename T>
Handler of_type(const Pick& wanted) {
    switch (wanted.operation) {
        case Operation::kAdd:
            return form<Add, T>(wanted);
        case Operation::kSub:
            return form<Sub, T>(wanted);
        case Operation::kMul:
            return form<Mul, T>(wanted);
        case Operation::kDivide:
            return form<Div, T>(wanted);
        case Operation::kMad:
        case Operation::kFma:
            return form<Fma, T>(wanted);
        case Operation::kLeast:
            return form<Min, T>(wanted);
        case Operation::kGreatest:
            return form<Max, T>(wanted);
        case Operation::kAbsolute:
            return form<Abs, T>(wanted);
        case Operation::kNegate:
            return form<Neg, T>(wanted);
        case Operation::kReciprocal:
            return form<Rcp, T>(wanted);
        case Operation::kSquareRoot:
            return form<Sqrt, T>(wanted);
        case Operation::kReciprocalRoot:
            return form<Rsqrt, T>(wanted);
        case Operation::kCopySign:
            return copy_sign<T>;
        case Operation::kTestProperty:
            return property<T>;
        default:
            return nullptr;
    }
}

}  // namespace

Handler pick_float(const Pick& wanted) {
    if (wanted.type == Type::kF64) {
        if (wanted.approximate && wanted.operation == Operation::kReciprocal) {
            return rough<false, true>;
        }
        if (wanted.approximate && wanted.operation == Operation::kReciprocalRoot) {
            return wanted.flush ? rough<true, true> : rough<true, false>;
        }
        return of_type<double>(wanted);
    }
    if (wanted.type != Type::kF32) {
        return nullptr;
    }
    switch (wanted.operation) {
        case Operation::kDivide:
            return wanted.approximate ? rough_division : of_type<float>(wanted);
        case Operation::kSine:
            return transcendental<Sine>;
        case Operation::kCosine:
            return transcendental<Cosine>;
        case Operation::kLog2:
            return transcendental<Log2>;
        case Operation::kExp2:
            return transcendental<Exp2>;
        case Operation::kTanh:
            return transcendental<Tanh>;
        default:
            return of_type<float>(wanted);
    }
}

}  // namespace kymo::gpu::ptx::KYMO_LANES
