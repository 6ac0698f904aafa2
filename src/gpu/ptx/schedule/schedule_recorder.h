// Turns the PTX blocks that a warp executes into the machine instructions that represent them
// (machine_schedule.h).
//
// A block's execution is kept until it is known which machine blocks it belongs to: as many rounds of a loop as
// the largest unrolled one contains, or the parts of what the compiler has merged. Memory is that of those
// executions.
//
// Contract: one per warp; block() in the order of execution, finish() at the warp's end.
#pragma once

#include "gpu/ptx/schedule/machine_schedule.h"
#include "gpu/trace/warp_code.h"

#include <map>

namespace kymo::gpu::ptx {

// Ways between machine blocks through those without anchors; of all warps of a launch.
class ScheduleWays {
  public:
    explicit ScheduleWays(const Schedule& schedule) : schedule_(schedule) {}
    struct Way {
        bool exists = false;
        std::uint32_t instructions = 0;
        std::vector<std::uint32_t> blocks;  // between the two
    };
    // The shortest one.
    const Way& way(std::uint32_t from, std::uint32_t to);

  private:
    const Schedule& schedule_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Way> known_;
};

class ScheduleRecorder {
  public:
    ScheduleRecorder(const Schedule& schedule, ScheduleWays& ways, WarpEncoder& encoder)
        : schedule_(schedule), ways_(ways), encoder_(encoder) {}

    // The PTX block was executed by `mask`; its log is read before this returns.
    void block(std::uint32_t number, std::uint32_t mask, const LoggedAccess* log);
    void finish();

  private:
    struct Done {
        std::uint32_t mask = 0;
        std::vector<LoggedAccess> log;
    };
    void flush();
    const Variant& choose(const Group& group, std::size_t first) const;
    void emit(const Variant& variant);
    void way_to(std::uint32_t block, std::uint32_t mask);
    void instruction(std::uint32_t index, std::uint32_t mask);
    const Done* done(std::uint32_t block, std::uint32_t copy) const;

    const Schedule& schedule_;
    ScheduleWays& ways_;
    WarpEncoder& encoder_;
    std::uint32_t at_ = kStart;  // the machine block before
    std::uint32_t group_ = kNoGroup;
    std::uint32_t mask_ = 0;               // of the pass's first execution
    std::vector<std::vector<Done>> pass_;  // by member; unused vectors of earlier passes are kept for reuse
    std::vector<std::uint32_t> executed_;  // how often each
    std::vector<std::uint32_t> consumed_;  // of these, in what has been emitted
};

}  // namespace kymo::gpu::ptx
