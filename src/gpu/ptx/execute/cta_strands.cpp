// Independent progress of lanes: how a warp's strand is split where lanes wait for one another, and joined again.
//
// In the stack, lanes that have reached a branch's meeting point wait there for the others. If these in turn wait,
// for a lock that one of the first holds, neither continues. GPUs since Volta let all lanes make progress (CUDA
// C++ Programming Guide, "Independent Thread Scheduling"). So once everything that can run in the CTA only repeats
// itself, lanes that wait at a meeting point become a strand of their own. A kernel that ends without this
// executes as before.
//
// Strands are joined when they are at the same place: at the beginning of a block, or at an operation that names
// lanes of the other (shfl.sync, bar.warp.sync, a matrix product), where a strand is parked until these have
// arrived, as on a GPU. The blocks they have passed through do not matter: every point where lanes of the stack
// are still to meet is behind that block on all paths, or is passed by lanes that do not take part in it.
#include "gpu/ptx/execute/cta_runner.h"
#include "gpu/ptx/execute/guards.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <thread>

namespace kymo::gpu::ptx {
namespace {

// The lanes that an operation waits for; 0: each lane executes it by itself.
std::uint32_t members_of(const OpFacts& facts, const Warp& warp, const Op& op, std::uint32_t lanes) {
    switch (facts.operation) {
        case Operation::kMatrixMultiply:
        case Operation::kMatrixLoad:
        case Operation::kMatrixStore:
        case Operation::kMatrixTranspose:
        case Operation::kRowsLoad:
        case Operation::kRowsStore:
            return kAllLanes;
        case Operation::kShuffle:
        case Operation::kVoteAll:
        case Operation::kVoteAny:
        case Operation::kVoteUniform:
        case Operation::kBallot:
        case Operation::kMatchAny:
        case Operation::kMatchAll:
        case Operation::kReduceWarp:
        case Operation::kElect:
            break;
        default:
            if (!facts.syncs_warp) {
                return 0;
            }
    }
    if (op.more[3] == 0) {
        return kAllLanes;
    }
    std::uint32_t members = 0;
    each_lane(lanes, [&](unsigned lane) {
        std::uint32_t named = 0;
        std::memcpy(&named, warp.frame + op.more[3] + sizeof named * lane, sizeof named);
        members |= named;
    });
    return members;
}

// Whether lanes of the one can go on in the other's frames.
bool have_same_frames(const Strand& one, const Strand& other) {
    return std::equal(one.frames.begin(), one.frames.end(), other.frames.begin(), other.frames.end(),
                      [](const Frame& a, const Frame& b) {
                          return a.code == b.code && a.caller == b.caller && a.local_at == b.local_at;
                      });
}

// A function that each of two strands has called by itself has a frame in each.
void copy_lanes(const Frame& from, Frame& into, std::uint32_t lanes) {
    for (const RegisterUse& use : from.code->uses) {
        std::byte* const to = into.memory->data() + use.place;
        const std::byte* const of = from.memory->data() + use.place;
        if (use.bits == 1) {
            std::uint32_t mine = 0;
            std::uint32_t theirs = 0;
            std::memcpy(&mine, to, sizeof mine);
            std::memcpy(&theirs, of, sizeof theirs);
            mine = (mine & ~lanes) | (theirs & lanes);
            std::memcpy(to, &mine, sizeof mine);
            continue;
        }
        const std::size_t bytes = use.bits / 8U;
        each_lane(lanes, [&](unsigned lane) { std::memcpy(to + bytes * lane, of + bytes * lane, bytes); });
    }
    const std::size_t bytes = from.code->layout.parameter_bytes;
    for (std::uint32_t left = from.parameters && into.parameters ? lanes : 0; left != 0; left &= left - 1) {
        const std::size_t at = bytes * static_cast<unsigned>(std::countr_zero(left));
        std::memcpy(into.parameters->data() + at, from.parameters->data() + at, bytes);
    }
}

bool can_join(const Strand& one, const Strand& other) {
    const auto stands = [](const Strand& strand) {
        return (strand.state == Strand::State::kReady || strand.state == Strand::State::kParked) &&
               strand.lanes() != 0 && strand.levels.back().block != strand.levels.back().meet;
    };
    return stands(one) && stands(other) && one.levels.back().block == other.levels.back().block &&
           one.resume == other.resume && have_same_frames(one, other);
}

}  // namespace

// All strands repeat themselves: whether, before patience ends, another thread of the process has written what a
// strand reads.
bool CtaRunner::is_changed_from_outside() const {
    std::vector<AwaitedRead> reads;
    for (const Strand& state : strands_) {
        const bool is_global = state.read.space == StateSpace::kGlobal || state.read.space == StateSpace::kNone;
        if (state.state == State::kReady && state.read.code != nullptr && is_global &&
            parts_.memory->find(state.read.address, state.read.bytes)) {
            reads.push_back(state.read);
        }
    }
    const auto late = std::chrono::steady_clock::now() + parts_.options->patience;
    while (!reads.empty() && std::chrono::steady_clock::now() < late) {
        for (const AwaitedRead& read : reads) {
            if (std::memcmp(reinterpret_cast<const void*>(read.address), &read.value, read.bytes) != 0) {
                return true;
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

// Lanes of the warp that belong to other strands.
std::uint32_t CtaRunner::elsewhere(const Strand& state) const {
    std::uint32_t lanes = 0;
    for (const Strand& other : strands_) {
        lanes |= &other != &state && other.warp.number == state.warp.number ? other.running() : 0;
    }
    return lanes;
}

void CtaRunner::check_members(const Strand& state, const Compiled& code, std::size_t op, std::uint32_t lanes) {
    if (!checker_->watches_barriers()) {
        return;
    }
    const std::uint32_t members = members_of(code.facts[op], state.warp, code.ops[op], lanes);
    if (members != 0) {
        checker_->at_members(state.warp, code, op, lanes, members, state.running() | elsewhere(state));
    }
}

// True: the operation needs lanes of other strands; the strand is parked in front of it.
bool CtaRunner::park(Strand& state, const Compiled& code, std::size_t op, std::uint32_t lanes) {
    if (split_[state.warp.number] == 0) {
        return false;
    }
    state.awaited = members_of(code.facts[op], state.warp, code.ops[op], lanes);
    if ((state.awaited & elsewhere(state)) == 0) {
        return false;
    }
    state.state = State::kParked;
    state.resume = static_cast<std::uint32_t>(op);
    state.begun_log.clear();
    if (state.warp.log != nullptr) {
        state.begun_log = log_;
    }
    return true;
}

// Where all repeat themselves, the first strand that others wait in.
bool CtaRunner::split_one() {
    for (Strand& state : strands_) {
        if (state.state == State::kReady && split_waiting(state)) {
            return true;  // at once: the new one has moved those behind
        }
    }
    return false;
}

// Of the lanes that wait at a strand's meeting points, or for their turn, the nearest continue by themselves.
// False: there are none.
bool CtaRunner::split_waiting(Strand& state) {
    std::uint32_t above = state.lanes();
    for (std::size_t level = state.levels.size(); level-- > 0;) {
        const std::uint32_t lanes = state.levels[level].mask & state.warp.live & ~above;
        above |= lanes;
        if (lanes == 0) {
            continue;
        }
        Strand part = state;
        part.levels.resize(level + 1);
        part.frames.resize(1 + static_cast<std::size_t>(std::count_if(part.levels.begin(), part.levels.end(),
                                                                      [](const Level& one) { return one.is_call; })));
        part.repeats = part.is_still = false;
        part.resume = kNoOp;
        part.warp.strand = static_cast<std::uint32_t>(strands_.size());
        part.warp.live &= lanes;
        for (Level& one : part.levels) {
            one.mask &= lanes;
        }
        state.warp.live &= ~lanes;
        for (Level& one : state.levels) {
            one.mask &= ~lanes;
        }
        split_[state.warp.number] = 1;
        if (checker_) {
            checker_->split(state.warp, part.warp, part.frames.size());
        }
        strands_.push_back(std::move(part));
        enter(strands_.back(), strands_.back().frames.size() - 1);
        return true;
    }
    return false;
}

bool CtaRunner::join_strands(std::uint32_t warp) {
    bool joined = false;
    for (std::size_t one = 0; one < strands_.size(); ++one) {
        for (std::size_t other = one + 1; strands_[one].warp.number == warp && other < strands_.size(); ++other) {
            if (strands_[other].warp.number == warp && can_join(strands_[other], strands_[one])) {
                join(strands_[other], strands_[one]);
                joined = true;
            }
        }
    }
    return joined;
}

// The lanes that execute now; those that wait for them stay behind.
void CtaRunner::join(Strand& from, Strand& into) {
    const std::uint32_t lanes = from.lanes();
    const std::uint32_t with = into.lanes();
    for (std::size_t i = 0; i < into.frames.size(); ++i) {
        if (into.frames[i].memory != from.frames[i].memory) {
            copy_lanes(from.frames[i], into.frames[i], lanes);
        }
    }
    for (Level& level : into.levels) {
        level.mask |= (level.mask & with) != 0 ? lanes : 0U;
    }
    for (Level& level : from.levels) {
        level.mask &= ~lanes;
    }
    into.warp.live |= lanes;
    from.warp.live &= ~lanes;
    into.warp.carry = (into.warp.carry & ~lanes) | (from.warp.carry & lanes);
    for (std::size_t i = 0; i < into.begun_log.size() && i < from.begun_log.size() && into.resume != kNoOp; ++i) {
        const LoggedAccess& of = from.begun_log[i];
        LoggedAccess& to = into.begun_log[i];
        to.mask |= of.mask & lanes;
        for (std::uint32_t left = of.mask & lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(left));
            to.address[lane] = of.address[lane];
        }
    }
    if (into.values) {
        into.held.join(from.held, lanes);
    }
    if (checker_) {
        checker_->join(from.warp, into.warp, lanes);
    }
    into.state = from.state = State::kReady;
    into.repeats = from.repeats = false;
    from.resume = kNoOp;
}

}  // namespace kymo::gpu::ptx
