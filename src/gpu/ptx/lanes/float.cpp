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

// Sources beyond the operation's own are the first one again, so all three can be read.
template <typename F, typename T, bool Flush>
bool plain(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    const T* const y = lanes<T>(warp, op.b);
    const T* const z = lanes<T>(warp, op.c);
    each(lanes<T>(warp, op.d), mask, [=](unsigned i) {
        if constexpr (Flush) {
            return flushed(canonical(F::of(flushed(x[i]), flushed(y[i]), flushed(z[i]))));
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
        const T a = flush ? flushed(x[i]) : x[i];
        const T b = flush ? flushed(y[i]) : y[i];
        const T c = flush ? flushed(z[i]) : z[i];
        T value = canonical(F::of(a, b, c));
        value = flush ? flushed(value) : value;
        if ((op.flags & kNanFlag) != 0 && (__builtin_isnan(a) || __builtin_isnan(b))) {
            value = canonical(a + b);
        }
        if ((op.flags & kReluFlag) != 0) {
            value = value > 0 || __builtin_isnan(value) ? value : T{0};
        }
        d[i] = (op.flags & kSaturateFlag) != 0 ? saturated(value) : value;
    });
    return true;
}

template <typename F, typename T>
Handler form(const Pick& wanted) {
    if (wanted.saturate || wanted.relu || wanted.propagate_nan || wanted.rounding != Rounding::kNearest) {
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

// rcp.approx.ftz.f64 and rsqrt.approx.f64: of the upper 32 bits alone.
template <bool Root>
bool rough(Warp& warp, const Op& op, std::uint32_t mask) {
    const double* const x = lanes<double>(warp, op.a);
    double* const d = lanes<double>(warp, op.d);
    each_active(mask, [=](unsigned i) {
        const double a = as<double>(as<std::uint64_t>(x[i]) & 0xFFFF'FFFF'0000'0000U);
        d[i] = as<double>(as<std::uint64_t>(1.0 / (Root ? root(a) : a)) & 0xFFFF'FFFF'0000'0000U);
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
                        : wanted == Property::kNormal     ? kind == FP_NORMAL
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
            return rough<false>;
        }
        if (wanted.approximate && wanted.operation == Operation::kReciprocalRoot) {
            return rough<true>;
        }
        return of_type<double>(wanted);
    }
    if (wanted.type != Type::kF32) {
        return nullptr;
    }
    switch (wanted.operation) {
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
