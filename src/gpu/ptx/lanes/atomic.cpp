// Atomics and reductions in memory, lane by lane.
#include "gpu/ptx/lanes/half_number.h"
#include "gpu/ptx/lanes/places.h"

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

struct Plus {
    template <typename T>
    static T of(T a, T b, T) {
        return static_cast<T>(a + b);
    }
};
// Of double precision: a NaN stays as it is.
struct DoublePlus {
    static double of(double a, double b, double) { return b != b ? b : a != a ? a : a + b; }
};
struct Least {
    template <typename T>
    static T of(T a, T b, T) {
        return a < b ? a : b;
    }
};
struct Greatest {
    template <typename T>
    static T of(T a, T b, T) {
        return a < b ? b : a;
    }
};
struct Inc {
    template <typename T>
    static T of(T a, T b, T) {
        return static_cast<T>(a >= b ? 0 : a + 1);
    }
};
struct Dec {
    template <typename T>
    static T of(T a, T b, T) {
        return static_cast<T>(a == 0 || a > b ? b : a - 1);
    }
};
struct And {
    template <typename T>
    static T of(T a, T b, T) {
        return a & b;
    }
};
struct Or {
    template <typename T>
    static T of(T a, T b, T) {
        return a | b;
    }
};
struct Xor {
    template <typename T>
    static T of(T a, T b, T) {
        return a ^ b;
    }
};
struct Exchange {
    template <typename T>
    static T of(T, T b, T) {
        return b;
    }
};
struct Swap {
    template <typename T>
    static T of(T a, T b, T c) {
        return a == b ? c : a;
    }
};
// Of numbers of 16 bits, alone or in pairs.
template <typename N>
struct NarrowPlus {
    static std::uint16_t of(std::uint16_t a, std::uint16_t b, std::uint16_t) {
        return N::put(sum_to_odd(N::get(a), N::get(b)), Rounding::kNearest);
    }
    static std::uint32_t of(std::uint32_t a, std::uint32_t b, std::uint32_t) {
        const auto low = of(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b), std::uint16_t{0});
        const auto high =
            of(static_cast<std::uint16_t>(a >> 16U), static_cast<std::uint16_t>(b >> 16U), std::uint16_t{0});
        return static_cast<std::uint32_t>(high) << 16U | low;
    }
};

// Lanes in order. op.d 0: the old value is not needed.
template <typename T, typename F, StateSpace S>
bool atomic(Warp& warp, const Op& op, std::uint32_t mask) {
    Places places;
    if (!places_of<S>(warp, op, mask, sizeof(T), places)) {
        return false;
    }
    const T* const x = lanes<T>(warp, op.b);
    const T* const y = lanes<T>(warp, op.c);
    T* const d = op.d != 0 ? lanes<T>(warp, op.d) : nullptr;
    const std::uint64_t* const at = places.at;
    each_active(mask, [=](unsigned i) {
        const T before = read<T>(at[i]);
        const T after = F::of(before, x[i], y[i]);
        __builtin_memcpy(reinterpret_cast<void*>(at[i]), &after, sizeof after);
        if (d != nullptr) {
            d[i] = before;
        }
    });
    return true;
}

// Of single precision: denormals count as 0 in global memory, not in shared memory.
template <StateSpace S>
bool add_single(Warp& warp, const Op& op, std::uint32_t mask) {
    Places places;
    if (!places_of<S>(warp, op, mask, sizeof(float), places)) {
        return false;
    }
    const float* const x = lanes<float>(warp, op.b);
    float* const d = op.d != 0 ? lanes<float>(warp, op.d) : nullptr;
    const std::uint64_t* const at = places.at;
    const std::uint64_t* const address = lanes<std::uint64_t>(warp, op.a);
    const auto offset = static_cast<std::uint64_t>(op.immediate);
    each_active(mask, [=](unsigned i) {
        const bool is_shared = S == StateSpace::kShared ||
                               (S == StateSpace::kNone && address[i] + offset - kSharedWindow < kWindowBytes);
        const auto before = read<float>(at[i]);
        const float sum = is_shared ? before + x[i] : flushed(flushed(before) + flushed(x[i]));
        const float after = canonical(sum);
        __builtin_memcpy(reinterpret_cast<void*>(at[i]), &after, sizeof after);
        if (d != nullptr) {
            d[i] = before;
        }
    });
    return true;
}

template <typename T, typename F>
Handler in_space(const Pick& wanted) {
    return wanted.space == StateSpace::kGlobal   ? atomic<T, F, StateSpace::kGlobal>
           : wanted.space == StateSpace::kShared ? atomic<T, F, StateSpace::kShared>
           : wanted.space == StateSpace::kNone   ? atomic<T, F, StateSpace::kNone>
                                                 : nullptr;
}

template <typename T>
Handler whole_atomic(const Pick& wanted) {
    switch (wanted.atomic) {
        case AtomicOp::kAdd:
            return in_space<T, Plus>(wanted);
        case AtomicOp::kMin:
            return in_space<T, Least>(wanted);
        case AtomicOp::kMax:
            return in_space<T, Greatest>(wanted);
        case AtomicOp::kInc:
            return in_space<T, Inc>(wanted);
        case AtomicOp::kDec:
            return in_space<T, Dec>(wanted);
        case AtomicOp::kAnd:
            return in_space<T, And>(wanted);
        case AtomicOp::kOr:
            return in_space<T, Or>(wanted);
        case AtomicOp::kXor:
            return in_space<T, Xor>(wanted);
        case AtomicOp::kExchange:
            return in_space<T, Exchange>(wanted);
        case AtomicOp::kCompareSwap:
            return in_space<T, Swap>(wanted);
    }
    return nullptr;
}

}  // namespace

Handler pick_atomic(const Pick& wanted) {
    if (wanted.operation != Operation::kAtomic && wanted.operation != Operation::kReduce) {
        return nullptr;
    }
    switch (wanted.type) {
        case Type::kB16:
            return wanted.atomic == AtomicOp::kCompareSwap ? in_space<std::uint16_t, Swap>(wanted) : nullptr;
        case Type::kB32:
        case Type::kU32:
            return whole_atomic<std::uint32_t>(wanted);
        case Type::kS32:
            return whole_atomic<std::int32_t>(wanted);
        case Type::kB64:
        case Type::kU64:
            return whole_atomic<std::uint64_t>(wanted);
        case Type::kS64:
            return whole_atomic<std::int64_t>(wanted);
        default:
            break;
    }
    if (wanted.atomic != AtomicOp::kAdd) {
        return nullptr;
    }
    switch (wanted.type) {
        case Type::kF32:
            return wanted.space == StateSpace::kGlobal   ? add_single<StateSpace::kGlobal>
                   : wanted.space == StateSpace::kShared ? add_single<StateSpace::kShared>
                   : wanted.space == StateSpace::kNone   ? add_single<StateSpace::kNone>
                                                         : nullptr;
        case Type::kF64:
            return in_space<double, DoublePlus>(wanted);
        case Type::kF16:
            return in_space<std::uint16_t, NarrowPlus<OfHalf>>(wanted);
        case Type::kF16x2:
            return in_space<std::uint32_t, NarrowPlus<OfHalf>>(wanted);
        case Type::kBf16:
            return in_space<std::uint16_t, NarrowPlus<OfBfloat>>(wanted);
        case Type::kBf16x2:
            return in_space<std::uint32_t, NarrowPlus<OfBfloat>>(wanted);
        default:
            return nullptr;
    }
}

}  // namespace kymo::gpu::ptx::KYMO_LANES
