// Warps that wait at mbarriers.
//
// A warp whose phase has not ended is set aside, as at a barrier, so that the loop around the wait does not spin:
// the others run until the phase ends. Only if no other warp can run does the wait return that the phase has not
// ended, as on a GPU after a while: the program may have other work meanwhile.
#include "gpu/ptx/execute/barrier_object.h"
#include "gpu/ptx/execute/cta_runner.h"
#include "gpu/ptx/execute/guards.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

constexpr std::uint64_t kMostHopes = 1U << 14U;

template <typename T>
T of_lane(const Warp& warp, std::uint32_t place, unsigned lane) {
    T value{};
    std::memcpy(&value, warp.frame + place + sizeof(T) * lane, sizeof value);
    return value;
}

}  // namespace

// Of the waiting lanes, those whose phase has ended. False: a lane waits at an address without an mbarrier.
bool CtaRunner::ended_phases(const Strand& state, std::uint32_t& ended) {
    const Block& block = *state.reduction;
    const Warp& warp = state.warp;
    const Compiled& code = *state.frames.back().code;
    ended = 0;
    for (std::uint32_t left = state.reduction_mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        std::uint64_t address = block.object.wide ? of_lane<std::uint64_t>(warp, block.a, lane)
                                                  : of_lane<std::uint32_t>(warp, block.a, lane);
        address += static_cast<std::uint64_t>(block.offset);
        address = block.object.generic ? address - kSharedWindow : address & 0xFFFF'FFFFU;
        std::uint64_t word = 0;
        const bool inside =
            address % sizeof word == 0 && address <= warp.shared_bytes && sizeof word <= warp.shared_bytes - address;
        if (inside) {
            std::memcpy(&word, warp.shared + address, sizeof word);
        }
        if ((word >> kObjectMark & 3U) != 1) {
            return fail(state, Fault::kTrap, code, block.instruction, lane,
                        fmt::format("waits at 0x{:x} of shared memory, where no mbarrier was made", address));
        }
        const std::uint64_t asked = block.object.by_parity ? of_lane<std::uint32_t>(warp, block.b, lane) & 1U
                                                           : of_lane<std::uint64_t>(warp, block.b, lane) >> kPhaseBit;
        ended |= word >> kPhaseBit != asked ? 1U << lane : 0U;
        if (word >> kPhaseBit != asked && checker_) {
            checker_->passes(warp.number, address);
        }
    }
    return true;
}

bool CtaRunner::await(Strand& state, const Block& block, std::uint32_t mask) {
    state.state = State::kPolling;
    state.reduction = &block;
    state.reduction_mask = mask;
    bool woken = false;
    return wake(state, false, woken);
}

bool CtaRunner::wake(Strand& state, bool anyway, bool& woken) {
    std::uint32_t ended = 0;
    if (!ended_phases(state, ended)) {
        return false;
    }
    if (ended == state.reduction_mask || anyway) {
        std::byte* const at = state.warp.frame + state.reduction->d;
        const std::uint32_t value = (predicate(state.warp, state.reduction->d) & ~state.reduction_mask) | ended;
        std::memcpy(at, &value, sizeof value);
        state.state = State::kReady;
        woken = true;
    }
    return true;
}

bool CtaRunner::wake_waiters(bool is_last_hope, bool& woken) {
    bool by_end = false;
    for (Strand& state : strands_) {
        if (state.state == State::kPolling && !wake(state, false, by_end)) {
            return false;
        }
    }
    woken = woken || by_end;
    if (!is_last_hope || by_end) {
        return true;
    }
    for (Strand& state : strands_) {
        if (state.state != State::kPolling) {
            continue;
        }
        if (++hopes_ > kMostHopes) {
            return fail(state, Fault::kStuck, *state.frames.back().code, state.reduction->instruction,
                        static_cast<unsigned>(std::countr_zero(state.reduction_mask)),
                        fmt::format("warp {} waits at an mbarrier whose phase never ends", state.warp.number));
        }
        if (!wake(state, true, woken)) {
            return false;
        }
    }
    return true;
}

}  // namespace kymo::gpu::ptx
