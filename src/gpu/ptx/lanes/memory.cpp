// Loads, stores and atomics: every address checked, every lane's value moved.
//
// A warp's addresses are first all computed and compared with the range of memory that this operation used last; only
// where one is not inside, or not aligned, is each looked up by itself.
#include "gpu/ptx/lanes/half_number.h"

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

struct Places {
    alignas(64) std::uint64_t own[kLanes];
    std::uint64_t* at = own;  // host addresses, of the mask's lanes
};

bool fault(Warp& warp, const Op& op, FaultKind kind, unsigned lane, std::uint64_t address, unsigned size) {
    warp.fault.kind = kind;
    warp.fault.lane = static_cast<std::uint8_t>(lane);
    warp.fault.bytes = static_cast<std::uint8_t>(size);
    warp.fault.store = (op.flags & 1U) != 0;
    warp.fault.address = address;
    return false;
}

inline std::uint64_t* logged(Warp& warp, const Op& op, std::uint32_t mask, std::uint64_t* otherwise) {
    if (warp.log == nullptr || op.log == kNoLog) {
        return otherwise;
    }
    warp.log[op.log].mask = mask;
    return warp.log[op.log].address;
}

// Any of the lanes' addresses that is not in [begin, begin + limit], or not aligned.
inline std::uint64_t misplaced(const std::uint64_t* at, std::uint32_t mask, std::uint64_t begin, std::uint64_t limit,
                               std::uint64_t align) {
    std::uint64_t bad = 0;
    KYMO_VECTOR
    for (unsigned i = 0; i < kLanes; ++i) {
        const std::uint64_t off = at[i] - begin;
        const std::uint64_t wrong = (off > limit ? std::uint64_t{1} : std::uint64_t{0}) | (at[i] & align);
        bad |= (mask >> i & 1U) != 0 ? wrong : 0;
    }
    return bad;
}

bool slow_global(Warp& warp, const Op& op, std::uint32_t mask, std::uint64_t* at, unsigned size) {
    MemoryRange& range = warp.ranges[op.cache];
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        const std::uint64_t address = at[lane];
        const bool in_range = address >= range.begin && address <= range.end && range.end - address >= size;
        if (!in_range && !warp.find(warp.memory, address, size, range)) {
            return fault(warp, op, FaultKind::kOutside, lane, address, size);
        }
        if ((address & (size - 1)) != 0) {
            return fault(warp, op, FaultKind::kMisaligned, lane, address, size);
        }
    }
    return true;
}

inline bool global(Warp& warp, const Op& op, std::uint32_t mask, unsigned size, Places& places) {
    const std::uint64_t* const base = lanes<std::uint64_t>(warp, op.a);
    const auto offset = static_cast<std::uint64_t>(op.immediate);
    std::uint64_t* const at = logged(warp, op, mask, places.own);
    KYMO_VECTOR
    for (unsigned i = 0; i < kLanes; ++i) {
        at[i] = base[i] + offset;
    }
    places.at = at;
    const MemoryRange& range = warp.ranges[op.cache];
    const std::uint64_t length = range.end - range.begin;
    if (range.end > range.begin && length >= size && misplaced(at, mask, range.begin, length - size, size - 1) == 0) {
        return true;
    }
    return slow_global(warp, op, mask, at, size);
}

bool in_window(Warp& warp, const Op& op, std::uint32_t mask, unsigned size, std::byte* memory, std::uint64_t stride,
               std::uint64_t most, FaultKind kind, const std::uint64_t* offsets, std::uint64_t* at) {
    const std::uint64_t limit = most >= size ? most - size : 0;
    if (most < size || misplaced(offsets, mask, 0, limit, size - 1) != 0) {
        for (std::uint32_t left = mask; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctz(left));
            if (most < size || offsets[lane] > limit) {
                return fault(warp, op, kind, lane, offsets[lane], size);
            }
            if ((offsets[lane] & (size - 1)) != 0) {
                return fault(warp, op, FaultKind::kMisaligned, lane, offsets[lane], size);
            }
        }
    }
    const auto begin = reinterpret_cast<std::uint64_t>(memory);
    KYMO_VECTOR
    for (unsigned i = 0; i < kLanes; ++i) {
        at[i] = begin + offsets[i] + i * stride;
    }
    return true;
}

// Addresses of the shared window are offsets; registers that hold them may have 32 or 64 bits (op.mode bit 0: 64).
inline bool shared(Warp& warp, const Op& op, std::uint32_t mask, unsigned size, Places& places) {
    alignas(64) std::uint64_t unlogged[kLanes];
    std::uint64_t* const offsets = logged(warp, op, mask, unlogged);
    const auto offset = static_cast<std::uint64_t>(op.immediate);
    if ((op.mode & 1U) != 0) {
        const std::uint64_t* const base = lanes<std::uint64_t>(warp, op.a);
        KYMO_VECTOR
        for (unsigned i = 0; i < kLanes; ++i) {
            offsets[i] = (base[i] + offset) & 0xFFFF'FFFFU;
        }
    } else {
        const std::uint32_t* const base = lanes<std::uint32_t>(warp, op.a);
        KYMO_VECTOR
        for (unsigned i = 0; i < kLanes; ++i) {
            offsets[i] = static_cast<std::uint32_t>(base[i] + offset);
        }
    }
    return in_window(warp, op, mask, size, warp.shared, 0, warp.shared_bytes, FaultKind::kShared, offsets,
                     places.own);
}

inline bool local(Warp& warp, const Op& op, std::uint32_t mask, unsigned size, Places& places) {
    alignas(64) std::uint64_t unlogged[kLanes];
    std::uint64_t* const offsets = logged(warp, op, mask, unlogged);
    const auto offset = static_cast<std::uint64_t>(op.immediate);
    for (unsigned i = 0; i < kLanes; ++i) {
        const std::uint64_t base =
            (op.mode & 1U) != 0 ? lanes<std::uint64_t>(warp, op.a)[i] : lanes<std::uint32_t>(warp, op.a)[i];
        offsets[i] = (base + offset) & 0xFFFF'FFFFU;
    }
    return in_window(warp, op, mask, size, warp.local, warp.local_bytes, warp.local_bytes, FaultKind::kLocal, offsets,
                     places.own);
}

// Parameters of device functions: a place of their own for each lane.
inline bool parameter(Warp& warp, const Op& op, std::uint32_t, unsigned, Places& places) {
    const std::uint64_t begin =
        reinterpret_cast<std::uint64_t>(warp.parameters) + static_cast<std::uint64_t>(op.immediate);
    for (unsigned i = 0; i < kLanes; ++i) {
        places.own[i] = begin + i * warp.parameter_stride;
    }
    return true;
}

bool generic(Warp& warp, const Op& op, std::uint32_t mask, unsigned size, Places& places) {
    const std::uint64_t* const base = lanes<std::uint64_t>(warp, op.a);
    const auto offset = static_cast<std::uint64_t>(op.immediate);
    std::uint32_t windows = 0;
    for (unsigned i = 0; i < kLanes; ++i) {
        windows |= base[i] + offset - kSharedWindow < 2 * kWindowBytes ? 1U << i : 0U;
    }
    if ((windows & mask) == 0) {
        return global(warp, op, mask, size, places);
    }
    std::uint64_t* const log = logged(warp, op, mask, places.own);
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        const std::uint64_t address = base[lane] + offset;
        log[lane] = address;
        if ((address & (size - 1)) != 0) {
            return fault(warp, op, FaultKind::kMisaligned, lane, address, size);
        }
        if (address - kSharedWindow < kWindowBytes) {
            const std::uint64_t at = address - kSharedWindow;
            if (at + size > warp.shared_bytes) {
                return fault(warp, op, FaultKind::kShared, lane, at, size);
            }
            places.own[lane] = reinterpret_cast<std::uint64_t>(warp.shared) + at;
        } else if (address - kLocalWindow < kWindowBytes) {
            const std::uint64_t at = address - kLocalWindow;
            if (at + size > warp.local_bytes) {
                return fault(warp, op, FaultKind::kLocal, lane, at, size);
            }
            places.own[lane] = reinterpret_cast<std::uint64_t>(warp.local) + lane * warp.local_bytes + at;
        } else {
            MemoryRange& range = warp.ranges[op.cache];
            if (!warp.find(warp.memory, address, size, range)) {
                return fault(warp, op, FaultKind::kOutside, lane, address, size);
            }
            places.own[lane] = address;
        }
    }
    return true;
}

template <StateSpace S>
inline bool places_of(Warp& warp, const Op& op, std::uint32_t mask, unsigned size, Places& places) {
    switch (S) {
        case StateSpace::kGlobal:
            return global(warp, op, mask, size, places);
        case StateSpace::kShared:
            return shared(warp, op, mask, size, places);
        case StateSpace::kLocal:
            return local(warp, op, mask, size, places);
        case StateSpace::kParameter:
            return parameter(warp, op, mask, size, places);
        default:
            return generic(warp, op, mask, size, places);
    }
}

template <typename M>
inline M read(std::uint64_t address) {
    M value;
    __builtin_memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return value;
}

// M: what memory holds; R: what the register holds, M extended to it.
template <typename M, typename R, StateSpace S>
bool load(Warp& warp, const Op& op, std::uint32_t mask) {
    Places places;
    const unsigned count = op.count;
    if (!places_of<S>(warp, op, mask, static_cast<unsigned>(sizeof(M)) * count, places)) {
        return false;
    }
    const std::uint32_t into[4] = {op.d, op.more[0], op.more[1], op.more[2]};
    const std::uint64_t* const at = places.at;
    for (unsigned k = 0; k < count; ++k) {
        if (into[k] == 0) {
            continue;  // a sink
        }
        R* const d = lanes<R>(warp, into[k]);
        if (mask == kAllLanes) {
            for (unsigned i = 0; i < kLanes; ++i) {
                d[i] = static_cast<R>(read<M>(at[i] + k * sizeof(M)));
            }
        } else {
            each_active(mask, [=](unsigned i) { d[i] = static_cast<R>(read<M>(at[i] + k * sizeof(M))); });
        }
    }
    return true;
}

template <typename M, typename R, StateSpace S>
bool store(Warp& warp, const Op& op, std::uint32_t mask) {
    Places places;
    const unsigned count = op.count;
    if (!places_of<S>(warp, op, mask, static_cast<unsigned>(sizeof(M)) * count, places)) {
        return false;
    }
    const std::uint32_t from[4] = {op.b, op.more[0], op.more[1], op.more[2]};
    const std::uint64_t* const at = places.at;
    for (unsigned k = 0; k < count; ++k) {
        const R* const x = lanes<R>(warp, from[k]);
        each_active(mask, [=](unsigned i) {
            const M value = static_cast<M>(x[i]);
            __builtin_memcpy(reinterpret_cast<void*>(at[i] + k * sizeof(M)), &value, sizeof value);
        });
    }
    return true;
}

template <typename M, typename R>
Handler access(const Pick& wanted) {
    const bool is_load = wanted.operation == Operation::kLoad;
    switch (wanted.space) {
        case StateSpace::kGlobal:
        case StateSpace::kConstant:
            return is_load ? load<M, R, StateSpace::kGlobal> : store<M, R, StateSpace::kGlobal>;
        case StateSpace::kShared:
            return is_load ? load<M, R, StateSpace::kShared> : store<M, R, StateSpace::kShared>;
        case StateSpace::kLocal:
            return is_load ? load<M, R, StateSpace::kLocal> : store<M, R, StateSpace::kLocal>;
        case StateSpace::kParameter:
            return is_load ? load<M, R, StateSpace::kParameter> : store<M, R, StateSpace::kParameter>;
        default:
            return is_load ? load<M, R, StateSpace::kNone> : store<M, R, StateSpace::kNone>;
    }
}

template <typename M>
Handler into_register(const Pick& wanted) {
    using U16 = std::uint16_t;
    using U32 = std::uint32_t;
    using U64 = std::uint64_t;
    const unsigned size = 8 * sizeof(M);
    if (wanted.result_bits < size) {
        return nullptr;
    }
    if constexpr (sizeof(M) <= 2) {
        if (wanted.result_bits == 16) {
            return access<M, U16>(wanted);
        }
    }
    if constexpr (sizeof(M) <= 4) {
        if (wanted.result_bits == 32) {
            return access<M, U32>(wanted);
        }
    }
    return wanted.result_bits == 64 ? access<M, U64>(wanted) : nullptr;
}

struct Plus {
    template <typename T>
    static T of(T a, T b, T) {
        return static_cast<T>(a + b);
    }
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
struct HalfPlus {
    static std::uint16_t of(std::uint16_t a, std::uint16_t b, std::uint16_t) {
        return to_half(sum_to_odd(to_float(Half{a}), to_float(Half{b}))).bits;
    }
    static std::uint32_t of(std::uint32_t a, std::uint32_t b, std::uint32_t) {
        const auto low = of(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b), std::uint16_t{0});
        const auto high =
            of(static_cast<std::uint16_t>(a >> 16U), static_cast<std::uint16_t>(b >> 16U), std::uint16_t{0});
        return static_cast<std::uint32_t>(high) << 16U | low;
    }
};
struct BfloatPlus {
    static std::uint16_t of(std::uint16_t a, std::uint16_t b, std::uint16_t) {
        return to_bfloat(sum_to_odd(to_float(Bfloat{a}), to_float(Bfloat{b}))).bits;
    }
    static std::uint32_t of(std::uint32_t a, std::uint32_t b, std::uint32_t) {
        const auto low = of(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b), std::uint16_t{0});
        const auto high =
            of(static_cast<std::uint16_t>(a >> 16U), static_cast<std::uint16_t>(b >> 16U), std::uint16_t{0});
        return static_cast<std::uint32_t>(high) << 16U | low;
    }
};

// Lanes in their order. op.d 0: the old value is not wanted.
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

Handler pick_atomic(const Pick& wanted) {
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
            return in_space<float, Plus>(wanted);
        case Type::kF64:
            return in_space<double, Plus>(wanted);
        case Type::kF16:
            return in_space<std::uint16_t, HalfPlus>(wanted);
        case Type::kF16x2:
            return in_space<std::uint32_t, HalfPlus>(wanted);
        case Type::kBf16:
            return in_space<std::uint16_t, BfloatPlus>(wanted);
        case Type::kBf16x2:
            return in_space<std::uint32_t, BfloatPlus>(wanted);
        default:
            return nullptr;
    }
}

// cp.async: from global (b) to shared (a) memory, at once; op.count bytes, of which op.immediate's upper half are
// copied.
bool copy_async(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint64_t* const from = lanes<std::uint64_t>(warp, op.b);
    const std::uint32_t* const taken = op.c != 0 ? lanes<std::uint32_t>(warp, op.c) : nullptr;
    Places places;
    Op into = op;
    into.log = kNoLog;
    if (!shared(warp, into, mask, op.count, places)) {
        return false;
    }
    std::uint64_t* const log = warp.log != nullptr && op.log != kNoLog ? warp.log[op.log].address : nullptr;
    if (log != nullptr) {
        warp.log[op.log].mask = mask;
    }
    const auto offset = static_cast<std::uint64_t>(static_cast<std::uint32_t>(op.more[0]));
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        const std::uint64_t address = from[lane] + offset;
        unsigned size = taken != nullptr ? taken[lane] : op.count;
        size = size > op.count ? op.count : size;
        if (log != nullptr) {
            log[lane] = address;
        }
        MemoryRange& range = warp.ranges[op.cache];
        const bool in_range = address >= range.begin && address <= range.end && range.end - address >= size;
        if (size != 0 && !in_range && !warp.find(warp.memory, address, size, range)) {
            return fault(warp, op, FaultKind::kOutside, lane, address, size);
        }
        if ((address & (op.count - 1U)) != 0) {
            return fault(warp, op, FaultKind::kMisaligned, lane, address, op.count);
        }
        __builtin_memcpy(reinterpret_cast<void*>(places.own[lane]), reinterpret_cast<const void*>(address), size);
        __builtin_memset(reinterpret_cast<void*>(places.own[lane] + size), 0, op.count - size);
    }
    return true;
}

// cvta and its reverse: op.immediate is the window's beginning; op.mode bit 0: the address has 64 bits.
bool to_generic(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint64_t* const x = lanes<std::uint64_t>(warp, op.a);
    const auto window = static_cast<std::uint64_t>(op.immediate);
    each(lanes<std::uint64_t>(warp, op.d), mask, [=](unsigned i) { return x[i] + window; });
    return true;
}
bool from_generic(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint64_t* const x = lanes<std::uint64_t>(warp, op.a);
    const auto window = static_cast<std::uint64_t>(op.immediate);
    each(lanes<std::uint64_t>(warp, op.d), mask, [=](unsigned i) { return x[i] - window; });
    return true;
}
// isspacep: op.immediate the window's beginning; 0: global memory.
bool is_space(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint64_t* const x = lanes<std::uint64_t>(warp, op.a);
    const auto window = static_cast<std::uint64_t>(op.immediate);
    const std::uint32_t is = bits([=](unsigned i) {
        return window == 0 ? x[i] - kSharedWindow >= 2 * kWindowBytes : x[i] - window < kWindowBytes;
    });
    std::uint32_t& d = predicate(warp, op.d);
    d = (d & ~mask) | (is & mask);
    return true;
}

}  // namespace

Handler pick_memory(const Pick& wanted) {
    switch (wanted.operation) {
        case Operation::kLoad:
        case Operation::kStore:
            break;
        case Operation::kAtomic:
        case Operation::kReduce:
            return pick_atomic(wanted);
        case Operation::kCopyAsync:
            return copy_async;
        case Operation::kToGeneric:
            return to_generic;
        case Operation::kFromGeneric:
            return from_generic;
        case Operation::kIsSpace:
            return is_space;
        default:
            return nullptr;
    }
    const bool is_signed = wanted.type == Type::kS8 || wanted.type == Type::kS16 || wanted.type == Type::kS32;
    switch (bytes(wanted.type)) {
        case 1:
            return is_signed ? into_register<std::int8_t>(wanted) : into_register<std::uint8_t>(wanted);
        case 2:
            return is_signed ? into_register<std::int16_t>(wanted) : into_register<std::uint16_t>(wanted);
        case 4:
            return is_signed ? into_register<std::int32_t>(wanted) : into_register<std::uint32_t>(wanted);
        case 8:
            return into_register<std::uint64_t>(wanted);
        default:
            return nullptr;
    }
}

}  // namespace kymo::gpu::ptx::KYMO_LANES
