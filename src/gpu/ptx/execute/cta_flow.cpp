// Where a warp goes when a block ends: branches and where their ways meet, barriers.
#include "gpu/ptx/execute/cta_runner.h"
#include "gpu/ptx/execute/guards.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

std::uint32_t first_lane(const Warp& warp, std::uint32_t place, std::uint32_t mask) {
    std::uint32_t value = 0;
    std::memcpy(&value, warp.frame + place + std::size_t{4} * static_cast<unsigned>(std::countr_zero(mask)),
                sizeof value);
    return value;
}

}  // namespace

bool CtaRunner::end_block(Strand& state, const Compiled& code, const Block& block, std::uint32_t mask) {
    Level& top = state.levels.back();
    const std::uint32_t leaving = guarded(state.warp, block.guarded, block.guard, mask);
    if (tracing_) {
        if (block.ending_log != kNoLog) {
            state.warp.log[block.ending_log].mask = leaving;
        }
        if (state.recorder) {
            state.recorder->block(static_cast<std::uint32_t>(&block - code.blocks.data()), mask, log_.data());
        } else {
            record(state, code, block, mask);
        }
    }
    switch (block.ending) {
        case Ending::kFall:
            top.block = block.next;
            return true;
        case Ending::kBranch:
            split(state, block, leaving, block.taken, mask & ~leaving);
            return true;
        case Ending::kReturn:
            split(state, block, leaving, kNoBlock, mask & ~leaving);
            return true;
        case Ending::kExit:
            state.warp.live &= ~leaving;
            top.block = block.next;
            return true;
        case Ending::kTable:
            return by_table(state, code, block, leaving);
        case Ending::kBarrier:
            top.block = block.next;
            return leaving == 0 || arrive(state, block, leaving);
        case Ending::kWait:
            top.block = block.next;
            return leaving == 0 || await(state, block, leaving);
        case Ending::kCall:
            top.block = block.next;
            return leaving == 0 || (block.taken == kPointer ? call_pointers(state, block, leaving)
                                                            : call(state, block, block.taken, leaving));
    }
    return true;
}

void CtaRunner::split(Strand& state, const Block& block, std::uint32_t taken, std::uint32_t to, std::uint32_t rest) {
    Level& top = state.levels.back();
    if (rest == 0 || taken == 0) {
        top.block = rest == 0 ? to : block.next;
        return;
    }
    const std::uint32_t meet = block.meet;
    if (meet == top.meet) {
        state.levels.pop_back();  // the level below waits there already
    } else {
        top.block = meet;
    }
    if (block.next != meet) {
        state.levels.push_back({block.next, meet, rest, false});
    }
    if (to != meet) {
        state.levels.push_back({to, meet, taken, false});
    }
}

// Each target that a lane takes, one after another.
bool CtaRunner::by_table(Strand& state, const Compiled& code, const Block& block, std::uint32_t mask) {
    const std::uint32_t size = code.tables[block.taken];
    const std::uint32_t meet = block.meet;
    const auto target = [&](unsigned lane) {
        std::uint32_t index = 0;
        std::memcpy(&index, state.warp.frame + block.a + std::size_t{4} * lane, sizeof index);
        return index;
    };
    std::uint32_t rest = mask;
    Level& top = state.levels.back();
    if (meet == top.meet) {
        state.levels.pop_back();
    } else {
        top.block = meet;
    }
    while (rest != 0) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint32_t index = target(lane);
        if (index >= size) {
            return fail(state, Fault::kTrap, code, block.instruction, lane,
                        fmt::format("jumps to entry {} of {}", index, size));
        }
        std::uint32_t same = 0;
        for (std::uint32_t left = rest; left != 0; left &= left - 1) {
            const auto other = static_cast<unsigned>(std::countr_zero(left));
            same |= target(other) == index ? 1U << other : 0U;
        }
        rest &= ~same;
        const std::uint32_t to = code.tables[block.taken + 1 + index];
        if (to != meet) {
            state.levels.push_back({to, meet, same, false});
        }
    }
    return true;
}

bool CtaRunner::arrive(Strand& state, const Block& block, std::uint32_t mask) {
    const std::uint32_t number = first_lane(state.warp, block.a, mask);
    const std::uint32_t threads = block.b != 0 ? first_lane(state.warp, block.b, mask) : 0;
    const Compiled& code = *state.frames.back().code;
    if (number >= kBarriers || threads % kWarpLanes != 0) {
        return fail(
            state, Fault::kTrap, code, block.instruction, static_cast<unsigned>(std::countr_zero(mask)),
            fmt::format("barrier {} of {} threads: there are {}, of whole warps", number, threads, kBarriers));
    }
    Barrier& barrier = barriers_[number];
    const std::uint32_t bit = 1U << state.warp.number;
    barrier.arrived += (barrier.waiting & bit) == 0 ? 1 : 0;  // else another strand of the warp is there
    barrier.waiting |= block.barrier != 1 ? bit : 0U;
    probe_.changed();
    if (checker_) {
        checker_->at_barrier(state.warp, code, block, mask, state.running() | elsewhere(state));
        checker_->arrives(state.warp.number, number);
    }
    barrier.expected = threads / kWarpLanes;
    if (block.barrier >= 2) {
        const std::uint32_t yes = predicate(state.warp, block.c) ^ ((block.flags & 1U) != 0 ? kAllLanes : 0U);
        barrier.count += static_cast<unsigned>(std::popcount(yes & mask));
        barrier.threads += static_cast<unsigned>(std::popcount(mask));
    }
    if (block.barrier != 1) {
        state.state = State::kWaiting;
        state.barrier = number;
        state.reduction = &block;
        state.reduction_mask = mask;
    }
    return true;
}

void CtaRunner::give_result(Strand& state, const Barrier& barrier) {
    const Block& block = *state.reduction;
    if (block.barrier < 2) {
        return;
    }
    std::byte* const at = state.warp.frame + block.d;
    if (block.barrier == 4) {
        for (std::uint32_t left = state.reduction_mask; left != 0; left &= left - 1) {
            const auto count = static_cast<std::uint32_t>(barrier.count);
            std::memcpy(at + std::size_t{4} * static_cast<unsigned>(std::countr_zero(left)), &count, sizeof count);
        }
        return;
    }
    const bool is = block.barrier == 2 ? barrier.count == barrier.threads : barrier.count != 0;
    const std::uint32_t value =
        (predicate(state.warp, block.d) & ~state.reduction_mask) | (is ? state.reduction_mask : 0U);
    std::memcpy(at, &value, sizeof value);
}

// A barrier opens when as many warps have arrived as it names, or all that have not ended; for a warp of several
// strands, all of these.
bool CtaRunner::open_barriers() {
    std::uint32_t running = 0;
    for (const Strand& state : strands_) {
        running |= state.state != State::kDone ? 1U << state.warp.number : 0U;
    }
    const auto left = static_cast<std::uint32_t>(std::popcount(running));
    bool opened = false;
    for (std::uint32_t number = 0; number < kBarriers; ++number) {
        Barrier& barrier = barriers_[number];
        const std::uint32_t expected = barrier.expected != 0 ? std::min(barrier.expected, left) : left;
        const bool lacks_strands = std::any_of(strands_.begin(), strands_.end(), [&](const Strand& state) {
            return (barrier.waiting >> state.warp.number & 1U) != 0 && state.state != State::kDone &&
                   (state.state != State::kWaiting || state.barrier != number);
        });
        if (barrier.arrived == 0 || barrier.arrived < expected || lacks_strands) {
            continue;
        }
        std::uint32_t waited = 0;
        for (Strand& state : strands_) {
            if (state.state == State::kWaiting && state.barrier == number) {
                give_result(state, barrier);
                waited |= 1U << state.warp.number;
                state.state = State::kReady;
                opened = true;
            }
        }
        if (checker_) {
            checker_->opens(number, waited);
        }
        barrier = {};
    }
    for (std::uint32_t warp = 0; opened && warp < warps(); ++warp) {
        if (split_[warp] != 0) {
            join_strands(warp);
        }
    }
    return opened;
}

}  // namespace kymo::gpu::ptx
