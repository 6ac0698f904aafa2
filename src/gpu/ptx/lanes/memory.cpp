// Loads, stores and asynchronous copies: every lane's value moved; and what is asked of addresses themselves.
#include "gpu/ptx/lanes/places.h"

#include <type_traits>

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

// A signed value's sign goes on to the left.
template <typename R, typename M>
R extended(M value) {
    if constexpr (std::is_integral_v<M> && std::is_signed_v<M> && sizeof(M) < sizeof(R)) {
        return static_cast<R>(static_cast<std::make_signed_t<R>>(value));
    } else {
        return static_cast<R>(value);
    }
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
                d[i] = extended<R>(read<M>(at[i] + k * sizeof(M)));
            }
        } else {
            each_active(mask, [=](unsigned i) { d[i] = extended<R>(read<M>(at[i] + k * sizeof(M))); });
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

// cvta and its reverse: op.immediate is the window's beginning.
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
