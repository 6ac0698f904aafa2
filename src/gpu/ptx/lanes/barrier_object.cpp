// mbarriers, and the bulk copies that arrive at them. Waiting for a phase is CtaRunner's.
//
// Copies are done when they are issued. Lanes arrive one after another, from the lowest.
#include "gpu/ptx/execute/barrier_object.h"

#include "gpu/ptx/lanes/places.h"

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

constexpr unsigned kObjectBytes = 8;

struct Object {
    std::uint32_t pending;
    std::uint32_t expected;
    std::int32_t underway;
    std::uint64_t phase;
};

constexpr std::uint64_t kUnderwayMask = (std::uint64_t{1} << kUnderwayBits) - 1;
constexpr std::int32_t kMostUnderway = (1 << (kUnderwayBits - 1)) - 1;

bool is_object(std::uint64_t word) {
    return (word >> kObjectMark & 3U) == 1;
}

Object unpacked(std::uint64_t word) {
    const auto under = static_cast<std::int64_t>(word << (64 - kUnderwayAt - kUnderwayBits)) >> (64 - kUnderwayBits);
    return {static_cast<std::uint32_t>(word) & kMostArrivals,
            static_cast<std::uint32_t>(word >> kExpectedAt) & kMostArrivals, static_cast<std::int32_t>(under),
            word >> kPhaseBit};
}

std::uint64_t packed(const Object& object) {
    return object.pending | static_cast<std::uint64_t>(object.expected) << kExpectedAt |
           (static_cast<std::uint64_t>(object.underway) & kUnderwayMask) << kUnderwayAt |
           std::uint64_t{1} << kObjectMark | object.phase << kPhaseBit;
}

void end_phase(Object& object) {
    if (object.pending == 0 && object.underway == 0) {
        object.pending = object.expected;
        object.phase ^= 1U;
    }
}

std::uint64_t address_of(const Warp& warp, const Op& op, unsigned lane) {
    const std::uint64_t base =
        op.mode.address.wide ? lanes<std::uint64_t>(warp, op.a)[lane] : lanes<std::uint32_t>(warp, op.a)[lane];
    return base + static_cast<std::uint64_t>(op.immediate);
}

// Each lane's object in turn: f(object, lane), false where too much arrives.
template <typename F>
bool each_object(Warp& warp, const Op& op, std::uint32_t mask, F f) {
    const StateSpace space = op.mode.address.generic ? StateSpace::kNone : StateSpace::kShared;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        const std::uint64_t address = address_of(warp, op, lane);
        std::uint64_t place = 0;
        if (!one_place(warp, op, space, lane, address, kObjectBytes, place)) {
            return false;
        }
        const auto word = read<std::uint64_t>(place);
        if (!is_object(word)) {
            return fault(warp, op, FaultKind::kNoObject, lane, address, kObjectBytes);
        }
        Object object = unpacked(word);
        if (!f(object, lane, word)) {
            return fault(warp, op, FaultKind::kOverrun, lane, address, kObjectBytes);
        }
        const std::uint64_t after = packed(object);
        __builtin_memcpy(reinterpret_cast<void*>(place), &after, sizeof after);
    }
    return true;
}

bool expect(Object& object, std::uint32_t bytes) {
    const std::int64_t sum = object.underway + static_cast<std::int64_t>(bytes);
    object.underway = static_cast<std::int32_t>(sum);
    return sum <= kMostUnderway;
}

bool complete(Object& object, std::uint32_t bytes) {
    const std::int64_t left = object.underway - static_cast<std::int64_t>(bytes);
    object.underway = static_cast<std::int32_t>(left);
    end_phase(object);
    return left >= -kMostUnderway;
}

// b: how many will arrive (init); or flag 1: the object's end.
bool make(Warp& warp, const Op& op, std::uint32_t mask) {
    const StateSpace space = op.mode.address.generic ? StateSpace::kNone : StateSpace::kShared;
    const std::uint32_t* const count = op.b != 0 ? lanes<std::uint32_t>(warp, op.b) : nullptr;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        const std::uint64_t address = address_of(warp, op, lane);
        std::uint64_t place = 0;
        if (!one_place(warp, op, space, lane, address, kObjectBytes, place)) {
            return false;
        }
        if (count != nullptr && (count[lane] == 0 || count[lane] > kMostArrivals)) {
            return fault(warp, op, FaultKind::kOverrun, lane, address, kObjectBytes);
        }
        const std::uint64_t word = count != nullptr ? packed({count[lane], count[lane], 0, 0}) : 0;
        __builtin_memcpy(reinterpret_cast<void*>(place), &word, sizeof word);
    }
    return true;
}

// b: how many arrive (none: 1), c: bytes that are expected first; d: the token. op.count 2: they will not come again;
// 3: one more is expected first (cp.async.mbarrier.arrive).
bool arrive(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint32_t* const count = op.b != 0 ? lanes<std::uint32_t>(warp, op.b) : nullptr;
    const std::uint32_t* const bytes = op.c != 0 ? lanes<std::uint32_t>(warp, op.c) : nullptr;
    std::uint64_t* const token = op.d != 0 ? lanes<std::uint64_t>(warp, op.d) : nullptr;
    const unsigned how = op.count;
    return each_object(warp, op, mask, [=](Object& object, unsigned lane, std::uint64_t word) {
        const std::uint32_t arriving = count != nullptr ? count[lane] : 1;
        if (bytes != nullptr && !expect(object, bytes[lane])) {
            return false;
        }
        object.pending += how == 3 ? 1 : 0;
        if (arriving > object.pending || (how == 2 && arriving > object.expected)) {
            return false;
        }
        object.pending -= arriving;
        object.expected -= how == 2 ? arriving : 0;
        end_phase(object);
        if (token != nullptr) {
            token[lane] = word;
        }
        return true;
    });
}

bool expect_bytes(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint32_t* const bytes = lanes<std::uint32_t>(warp, op.b);
    return each_object(warp, op, mask,
                       [=](Object& object, unsigned lane, std::uint64_t) { return expect(object, bytes[lane]); });
}

bool complete_bytes(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint32_t* const bytes = lanes<std::uint32_t>(warp, op.b);
    return each_object(warp, op, mask,
                       [=](Object& object, unsigned lane, std::uint64_t) { return complete(object, bytes[lane]); });
}

bool pending_count(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint64_t* const token = lanes<std::uint64_t>(warp, op.a);
    each(lanes<std::uint32_t>(warp, op.d), mask,
         [=](unsigned i) { return static_cast<std::uint32_t>(token[i]) & kMostArrivals; });
    return true;
}

// cp.async.bulk: a: in shared memory, b: in global memory, c: bytes, d: the object that they arrive at, an address of
// 32 bits (0: none). more[0] is the offset of b. flag 1: towards global memory. Logged: where it is in global memory,
// and how much.
bool bulk_copy(Warp& warp, const Op& op, std::uint32_t mask) {
    constexpr unsigned kPiece = 16;
    const std::uint64_t* const global = lanes<std::uint64_t>(warp, op.b);
    const std::uint32_t* const size = lanes<std::uint32_t>(warp, op.c);
    const bool outward = (op.flags & 1U) != 0;
    LoggedAccess* const log = warp.log != nullptr && op.log != kNoLog ? warp.log + op.log : nullptr;
    if (log != nullptr) {
        log[0].mask = log[1].mask = mask;
    }
    Op object = op;
    object.a = op.d;
    object.immediate = 0;
    object.mode = {.address = {}};
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        const std::uint64_t own = address_of(warp, op, lane) & 0xFFFF'FFFFU;
        const std::uint64_t other = global[lane] + static_cast<std::uint64_t>(static_cast<std::int32_t>(op.more[0]));
        const std::uint32_t bytes = size[lane];
        if (log != nullptr) {
            log[0].address[lane] = other;
            log[1].address[lane] = bytes;
        }
        if (bytes % kPiece != 0) {
            return fault(warp, op, FaultKind::kBulkSize, lane, bytes, bytes);
        }
        if ((own | other) % kPiece != 0) {
            return fault(warp, op, FaultKind::kMisaligned, lane, own % kPiece != 0 ? own : other, kPiece);
        }
        if (own > warp.shared_bytes || bytes > warp.shared_bytes - own) {
            return fault(warp, op, FaultKind::kShared, lane, own, bytes);
        }
        MemoryRange& range = warp.ranges[op.cache];
        const bool in_range = other >= range.begin && other <= range.end && range.end - other >= bytes;
        if (bytes != 0 && !in_range && !warp.find(warp.memory, other, bytes, range)) {
            return fault(warp, op, FaultKind::kOutside, lane, other, bytes);
        }
        void* const here = warp.shared + own;
        void* const there = reinterpret_cast<void*>(other);
        __builtin_memcpy(outward ? there : here, outward ? here : there, bytes);
        if (op.d != 0 && !each_object(warp, object, 1U << lane, [=](Object& barrier, unsigned, std::uint64_t) {
                return complete(barrier, bytes);
            })) {
            return false;
        }
    }
    return true;
}

}  // namespace

Handler pick_barrier_object(const Pick& wanted) {
    switch (wanted.operation) {
        case Operation::kObjectInit:
        case Operation::kObjectInvalidate:
            return make;
        case Operation::kObjectArrive:
            return arrive;
        case Operation::kObjectExpect:
            return expect_bytes;
        case Operation::kObjectComplete:
            return complete_bytes;
        case Operation::kObjectPending:
            return pending_count;
        case Operation::kBulkCopy:
            return bulk_copy;
        default:
            return nullptr;
    }
}

}  // namespace kymo::gpu::ptx::KYMO_LANES
