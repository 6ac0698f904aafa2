// The one replay of a recording's samples: stream by stream in the order of time, with states, profile nodes and
// events worked out as the profile's costs were. Evidence, page and exports are made by it.
//
// Files, and of each file parts of its streams, are read by several threads at once, in pieces. One StreamVisitor
// sees one stream, from one thread; `make` is called by several threads, with the number of the worker: no two calls
// with one number at a time.
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "recording/tables/processor.h"
#include "spacetime/load/thread_states.h"
#include "spacetime/profile/profile.h"
#include "team/team.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace kymo::spacetime {

class StreamVisitor {
  public:
    StreamVisitor() = default;
    StreamVisitor(const StreamVisitor&) = delete;
    StreamVisitor& operator=(const StreamVisitor&) = delete;
    virtual ~StreamVisitor() = default;
    // The next stretch of time. `node`: the profile node that the thread was in, as far as it is known not to have
    // left it (kNone: not known). `charged`: the node whose costs the stretch is part of: another one, where the call
    // that took the time is not known, or known from its neighbours alone; kNone: of none, behind the last sample.
    virtual void piece(const StateInterval& interval, std::uint32_t node, std::uint32_t charged) = 0;
    // No tick has seen the call of this part of the stretch, which was system time; the nearest ones saw it in node
    // `in`: its sums include it, and those of the stretch's node do not.
    virtual void called(std::int64_t /*ns*/, std::uint32_t /*in*/) {}
    // Of the pieces until the next sample this part, of that ready to run, was found by late ticks
    // (late_ticks.h): the thread's clock went on.
    virtual void taken(std::int64_t /*ns*/) {}
    // The sample at the end of the pieces since the last one. Its event: index of Profile::events, or their number
    // for another event. `deltas`: by Profile::events, what is the program's (ProgramsEvents).
    virtual void sample(const recording::Sample& row, std::uint32_t node, std::span<const std::int64_t> deltas) = 0;
    // In its place, for one that met the monitor at its own work: no table counts it.
    virtual void own_work(const recording::Sample& /*row*/, std::uint32_t /*node*/,
                          std::span<const std::int64_t> /*deltas*/) {}
    // Of the sample just passed to sample().
    virtual void registers(const recording::SampleRegisters&) {}
    virtual void operands(const recording::SampleOperands&) {}
    virtual void access(const recording::MemoryAccess&) {}
    virtual void mark(const recording::Mark&) {}
    // After the last piece.
    virtual void finish() {}
};

struct SamplePass {
    std::uint32_t workers = 1;
    // Time for which the thread's processor was away (late_ticks.h) is ready, not on a processor as the clocks count
    // it: pieces then add up to less of the states that the profile has.
    bool moves_taken_time = true;
    // `stream`: index of Profile::streams. Null: this stream is skipped.
    std::function<std::unique_ptr<StreamVisitor>(std::uint32_t worker, std::uint32_t stream)> make;
    team::Team* team = nullptr;  // each of its processes reads a share of the streams
};

// The number of workers for a pass over this recording.
std::uint32_t pass_workers(const recording::Recording& recording, const Profile& profile);

// Error: the system cannot read a file, here or in another process of the team.
Result<void> run_pass(const recording::Recording& recording, const Profile& profile, const SamplePass& pass);

}  // namespace kymo::spacetime
