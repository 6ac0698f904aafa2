// The addresses that a memory operation's lanes read and write, all checked.
//
// A warp's addresses are first all computed and compared with the range of memory that this operation used last;
// only if one is outside, or misaligned, is each looked up by itself. False: a fault, set in the warp.
#pragma once

#include "gpu/ptx/lanes/lanes.h"

namespace kymo::gpu::ptx::KYMO_LANES {

struct Places {
    alignas(64) std::uint64_t own[kLanes];
    std::uint64_t* at = own;  // host addresses, of the mask's lanes
};

inline bool fault(Warp& warp, const Op& op, FaultKind kind, unsigned lane, std::uint64_t address, unsigned size) {
    warp.fault.kind = kind;
    warp.fault.lane = static_cast<std::uint8_t>(lane);
    warp.fault.bytes = size;
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

inline bool slow_global(Warp& warp, const Op& op, std::uint32_t mask, std::uint64_t* at, unsigned size) {
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

inline bool in_window(Warp& warp, const Op& op, std::uint32_t mask, unsigned size, std::byte* memory,
                      std::uint64_t stride, std::uint64_t most, FaultKind kind, const std::uint64_t* offsets,
                      std::uint64_t* at) {
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

// Addresses of the shared window are offsets; registers that hold them may have 32 or 64 bits.
inline bool shared(Warp& warp, const Op& op, std::uint32_t mask, unsigned size, Places& places) {
    alignas(64) std::uint64_t unlogged[kLanes];
    std::uint64_t* const offsets = logged(warp, op, mask, unlogged);
    const auto offset = static_cast<std::uint64_t>(op.immediate);
    if (op.mode.address.wide) {
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
            op.mode.address.wide ? lanes<std::uint64_t>(warp, op.a)[i] : lanes<std::uint32_t>(warp, op.a)[i];
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

// Where one lane's access is: an address in global or generic space, an offset in shared.
inline bool one_place(Warp& warp, const Op& op, StateSpace space, unsigned lane, std::uint64_t address, unsigned size,
                      std::uint64_t& place) {
    if ((address & (size - 1)) != 0) {
        return fault(warp, op, FaultKind::kMisaligned, lane, address, size);
    }
    if (space == StateSpace::kShared || (space == StateSpace::kNone && address - kSharedWindow < kWindowBytes)) {
        const std::uint64_t at = space == StateSpace::kShared ? address & 0xFFFF'FFFFU : address - kSharedWindow;
        if (at + size > warp.shared_bytes) {
            return fault(warp, op, FaultKind::kShared, lane, at, size);
        }
        place = reinterpret_cast<std::uint64_t>(warp.shared) + at;
        return true;
    }
    if (space == StateSpace::kNone && address - kLocalWindow < kWindowBytes) {
        const std::uint64_t at = address - kLocalWindow;
        if (at + size > warp.local_bytes) {
            return fault(warp, op, FaultKind::kLocal, lane, at, size);
        }
        place = reinterpret_cast<std::uint64_t>(warp.local) + lane * warp.local_bytes + at;
        return true;
    }
    MemoryRange& range = warp.ranges[op.cache];
    const bool in_range = address >= range.begin && address <= range.end && range.end - address >= size;
    if (!in_range && !warp.find(warp.memory, address, size, range)) {
        return fault(warp, op, FaultKind::kOutside, lane, address, size);
    }
    place = address;
    return true;
}

inline bool generic(Warp& warp, const Op& op, std::uint32_t mask, unsigned size, Places& places) {
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
        if (!one_place(warp, op, StateSpace::kNone, lane, address, size, places.own[lane])) {
            return false;
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

}  // namespace kymo::gpu::ptx::KYMO_LANES
