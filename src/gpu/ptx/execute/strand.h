// Lanes of a warp that execute together: their registers' frames, and the stack of (block, meeting point, lanes)
// that keeps them together where they diverge.
//
// A warp begins as one strand. If some of its lanes wait for others, these continue as a strand of their own
// (cta_strands.cpp), with the same frames: a register has a column per lane, and no two strands share a lane.
//
// Contract: internal to CtaRunner. Plain data.
#pragma once

#include "gpu/ptx/execute/operand_plan.h"
#include "gpu/ptx/schedule/schedule_recorder.h"
#include "gpu/ptx/select/compile.h"
#include "gpu/trace/warp_code.h"

#include <memory>
#include <vector>

namespace kymo::gpu::ptx {

// Bytes that start at a multiple of 64.
class AlignedBytes {
  public:
    AlignedBytes() = default;
    explicit AlignedBytes(std::size_t bytes) : bytes_(bytes + 64) {}
    std::byte* data() {
        const auto at = reinterpret_cast<std::uintptr_t>(bytes_.data());
        return bytes_.data() + ((64 - at % 64) % 64);
    }

  private:
    std::vector<std::byte> bytes_;
};

// A function that executes.
struct Frame {
    const Compiled* code = nullptr;
    std::shared_ptr<AlignedBytes> memory;
    std::shared_ptr<AlignedBytes> parameters;
    std::uint64_t local_at = 0;
    const Block* caller = nullptr;  // the block that ended with the call
};

struct Level {
    std::uint32_t block = 0;
    std::uint32_t meet = 0;
    std::uint32_t mask = 0;
    bool is_call = false;
    bool operator==(const Level&) const = default;
};

// Where a strand's or a call's first level meets: nowhere.
inline constexpr std::uint32_t kNever = kNoBlock - 1;

// What a waiting loop reads repeatedly.
struct AwaitedRead {
    const Compiled* code = nullptr;  // null: it reads nothing
    std::uint32_t instruction = 0;
    StateSpace space = StateSpace::kNone;
    bool strong = false;
    std::uint64_t address = 0;
    std::uint64_t value = 0;
    std::uint8_t bytes = 0;  // of the value; at most 8 of what was read
};

struct Strand {
    enum class State : std::uint8_t {
        kReady,
        kWaiting,  // at a barrier
        kPolling,  // at an mbarrier
        kParked,   // at an operation that lanes of other strands take part in
        kDone
    };

    Warp warp;
    State state = State::kReady;
    bool repeats = false;   // in its last turn it returned to the same place, and nothing had changed
    bool is_still = false;  // and that is all it did in that turn
    std::vector<Frame> frames;
    std::vector<Level> levels;
    std::shared_ptr<AlignedBytes> local;
    std::shared_ptr<WarpEncoder> encoder;        // the warp's
    std::shared_ptr<ScheduleRecorder> recorder;  // null: no schedule
    std::shared_ptr<WarpEncoder> values;         // the warp's operands'; null: they are not traced
    HeldOperands held;
    std::uint32_t launched = 0;
    std::uint32_t barrier = 0;
    const Block* reduction = nullptr;  // waits for its result, or at its mbarrier
    std::uint32_t reduction_mask = 0;
    std::uint32_t resume = kNoOp;         // kParked: the operation, in the middle of its block,
    std::uint32_t awaited = 0;            // the lanes that take part in it,
    std::vector<LoggedAccess> begun_log;  // and what the block has logged before it
    AwaitedRead read;                     // where it repeats itself

    // Those that execute now.
    std::uint32_t lanes() const { return levels.empty() ? 0 : levels.back().mask & warp.live; }
    // Lanes that have not reached the kernel's end; some that have may not be counted off yet.
    std::uint32_t running() const {
        std::uint32_t above = 0;
        for (std::size_t level = 1; level < levels.size(); ++level) {
            above |= levels[level].mask;
        }
        const bool has_ended = !levels.empty() && levels[0].block == kNoBlock;
        return state == State::kDone ? 0 : has_ended ? warp.live & above : warp.live;
    }
};

}  // namespace kymo::gpu::ptx
