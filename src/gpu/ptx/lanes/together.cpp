// Operations that a warp's lanes execute together: shuffles, votes, matches, reductions. Lanes that name different
// members form different groups (more[3]: the member mask; none if it is all lanes).
//
// A lane that the operation's member mask names but that does not execute it takes no part. On a GPU the others
// would wait for it; here they get what they would get if it came later.
#include "gpu/ptx/lanes/lanes.h"

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

// b: lane or distance, c: clamp and segment mask; more[0]: a predicate, was it in range.
bool shuffle(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint32_t* const x = lanes<std::uint32_t>(warp, op.a);
    const std::uint32_t* const y = lanes<std::uint32_t>(warp, op.b);
    const std::uint32_t* const z = lanes<std::uint32_t>(warp, op.c);
    std::uint32_t* const d = lanes<std::uint32_t>(warp, op.d);
    alignas(64) std::uint32_t result[kLanes];
    std::uint32_t in_range = 0;
    for (unsigned i = 0; i < kLanes; ++i) {
        const std::uint32_t by = y[i] & 31U;
        const std::uint32_t clamp = z[i] & 31U;
        const std::uint32_t segment = z[i] >> 8U & 31U;
        const std::uint32_t last = (i & segment) | (clamp & ~segment);
        const std::uint32_t first = i & segment;
        std::uint32_t from = 0;
        bool is = true;
        switch (op.mode.shuffle) {
            case Shuffle::kUp:
                from = i - by;
                is = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(last);
                break;
            case Shuffle::kDown:
                from = i + by;
                is = from <= last;
                break;
            case Shuffle::kButterfly:
                from = i ^ by;
                is = from <= last;
                break;
            case Shuffle::kIndex:
                from = first | (by & ~segment);
                is = from <= last;
                break;
        }
        from = is ? from : i;
        in_range |= is ? 1U << i : 0U;
        result[i] = x[from & 31U];
    }
    each(d, mask, [=](unsigned i) { return result[i]; });
    if (op.more[0] != 0) {
        std::uint32_t& p = predicate(warp, op.more[0]);
        p = (p & ~mask) | (in_range & mask);
    }
    return true;
}

// a: a predicate (flag 1: its opposite).
bool vote(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint32_t yes = (predicate(warp, op.a) ^ ((op.flags & 1U) != 0 ? kAllLanes : 0U)) & mask;
    const Vote asked = op.mode.vote;
    if (asked == Vote::kBallot) {
        each(lanes<std::uint32_t>(warp, op.d), mask, [=](unsigned) { return yes; });
        return true;
    }
    const bool is = asked == Vote::kAll ? yes == mask : asked == Vote::kAny ? yes != 0 : yes == 0 || yes == mask;
    std::uint32_t& d = predicate(warp, op.d);
    d = (d & ~mask) | (is ? mask : 0U);
    return true;
}

// Which lanes have the same value, or whether all have it; more[0]: a predicate for that.
template <typename T>
bool match(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    alignas(64) std::uint32_t result[kLanes] = {};
    bool all = true;
    each_active(mask, [&](unsigned i) {
        std::uint32_t same = 0;
        for (unsigned k = 0; k < kLanes; ++k) {
            same |= x[k] == x[i] ? 1U << k : 0U;
        }
        result[i] = same & mask;
        all = all && result[i] == mask;
    });
    std::uint32_t* const d = lanes<std::uint32_t>(warp, op.d);
    each_active(mask, [&](unsigned i) { d[i] = !op.mode.all ? result[i] : all ? mask : 0U; });
    if (op.more[0] != 0) {
        std::uint32_t& p = predicate(warp, op.more[0]);
        p = (p & ~mask) | (all ? mask : 0U);
    }
    return true;
}

template <typename T>
bool reduce(Warp& warp, const Op& op, std::uint32_t mask) {
    const T* const x = lanes<T>(warp, op.a);
    T result = x[static_cast<unsigned>(__builtin_ctz(mask))];
    each_active(mask & (mask - 1), [&](unsigned i) {
        switch (op.mode.reduction) {
            case AtomicOp::kAdd:
                result = static_cast<T>(static_cast<std::uint32_t>(result) + static_cast<std::uint32_t>(x[i]));
                break;
            case AtomicOp::kMin:
                result = x[i] < result ? x[i] : result;
                break;
            case AtomicOp::kMax:
                result = x[i] > result ? x[i] : result;
                break;
            case AtomicOp::kAnd:
                result &= x[i];
                break;
            case AtomicOp::kOr:
                result |= x[i];
                break;
            case AtomicOp::kXor:
                result ^= x[i];
                break;
            default:
                break;
        }
    });
    each(lanes<T>(warp, op.d), mask, [=](unsigned) { return result; });
    return true;
}

template <Handler F>
bool by_members(Warp& warp, const Op& op, std::uint32_t mask) {
    if (op.more[3] == 0) {
        return F(warp, op, mask);
    }
    const std::uint32_t* const members = lanes<std::uint32_t>(warp, op.more[3]);
    for (std::uint32_t left = mask; left != 0;) {
        const std::uint32_t named = members[static_cast<unsigned>(__builtin_ctz(left))];
        std::uint32_t group = 0;
        each_active(left, [&](unsigned i) { group |= members[i] == named ? 1U << i : 0U; });
        if (!F(warp, op, group)) {
            return false;
        }
        left &= ~group;
    }
    return true;
}

bool active_mask(Warp& warp, const Op& op, std::uint32_t mask) {
    each(lanes<std::uint32_t>(warp, op.d), mask, [=](unsigned) { return mask; });
    return true;
}

// elect.sync d|p: the lowest lane.
bool elect(Warp& warp, const Op& op, std::uint32_t mask) {
    const auto first = static_cast<std::uint32_t>(__builtin_ctz(mask));
    if (op.d != 0) {
        each(lanes<std::uint32_t>(warp, op.d), mask, [=](unsigned) { return first; });
    }
    std::uint32_t& p = predicate(warp, op.more[0]);
    p = (p & ~mask) | 1U << first;
    return true;
}

bool nothing(Warp&, const Op&, std::uint32_t) {
    return true;
}

bool trap(Warp& warp, const Op&, std::uint32_t mask) {
    warp.fault.kind = FaultKind::kTrap;
    warp.fault.lane = static_cast<std::uint8_t>(__builtin_ctz(mask));
    return false;
}

// Counts the warp's operations.
bool clock(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint64_t now = warp.clock;
    if (op.mode.wide) {
        each(lanes<std::uint64_t>(warp, op.d), mask, [=](unsigned) { return now; });
    } else {
        each(lanes<std::uint32_t>(warp, op.d), mask, [=](unsigned) { return static_cast<std::uint32_t>(now); });
    }
    return true;
}

}  // namespace

Handler pick_together(const Pick& wanted) {
    switch (wanted.operation) {
        case Operation::kShuffle:
            return by_members<shuffle>;
        case Operation::kVoteAll:
        case Operation::kVoteAny:
        case Operation::kVoteUniform:
        case Operation::kBallot:
            return by_members<vote>;
        case Operation::kMatchAny:
        case Operation::kMatchAll:
            return bytes(wanted.type) == 8 ? by_members<match<std::uint64_t>> : by_members<match<std::uint32_t>>;
        case Operation::kReduceWarp:
            return wanted.type == Type::kS32 ? by_members<reduce<std::int32_t>> : by_members<reduce<std::uint32_t>>;
        case Operation::kActiveMask:
            return active_mask;
        case Operation::kElect:
            return by_members<elect>;
        case Operation::kNothing:
            return nothing;
        case Operation::kTrap:
            return trap;
        case Operation::kClock:
            return clock;
        default:
            return nullptr;
    }
}

Handler pick_here(const Pick& wanted) {
    Handler found = nullptr;
    for (const auto family : {pick_integer, pick_bits, pick_float, pick_half, pick_choice, pick_convert, pick_memory,
                              pick_atomic, pick_together, pick_matrix, pick_barrier_object, pick_eight_bits}) {
        if (found == nullptr) {
            found = family(wanted);
        }
    }
    return found;
}

}  // namespace kymo::gpu::ptx::KYMO_LANES
