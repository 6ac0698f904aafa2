// Every thread's life as nested slices of time: its call path, and innermost what it did other than compute.
//
// If one piece's call path begins like the one before it, their common slices continue. So a function that
// runs is one slice, as far as samples show. Slices of one thread nest and come in the order of time.
#pragma once

#include "view/exports/run.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kymo::view {

// One thread wakes another: the waiter goes on at `time`, which thread `by` made possible.
struct Wakeup {
    std::uint64_t time = 0;
    std::uint32_t by = 0;  // index of Profile::threads
    std::uint32_t waiter = 0;
};

// What leads from a moment of one thread to a later one of another, in an imported trace.
struct TimelineFlow {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t from = 0;  // index of Profile::threads
    std::uint32_t to = 0;
    std::string name;  // may be empty
};

// A mark that the program set.
struct TimelineMark {
    std::uint64_t time = 0;
    std::uint32_t thread = 0;  // that set it
    recording::MarkKind kind{};
    std::string name;  // may be empty
    std::int64_t value = 0;
    std::string title() const { return name.empty() ? "mark" : name; }
};

class TimelineWriter {
  public:
    virtual ~TimelineWriter() = default;
    // A slice begins. `node`: the function called; 0: `name` is what the thread does in the innermost one.
    virtual void open(std::uint32_t thread, std::uint64_t time, spacetime::CallNodeIndex node,
                      const std::string& name, const spacetime::ThreadWait* wait) = 0;
    virtual void close(std::uint32_t thread, std::uint64_t time) = 0;
    virtual void wakeup(const Wakeup& wakeup) = 0;
    virtual void flow(const TimelineFlow& /*flow*/) {}
    virtual void mark(const TimelineMark& mark) = 0;
    // What an event has counted in the thread so far; `event`: index of Profile::events.
    virtual void counted(std::uint32_t thread, std::uint64_t time, std::size_t event, std::uint64_t value) = 0;
};

// The threads that others waited for, by the numbers that waits have for them.
class ThreadNumbers {
  public:
    explicit ThreadNumbers(const ExportRun& run);
    // The thread that `thread` waited for: an index of Profile::threads; kNone: no thread, itself, or not known.
    std::uint32_t holder(std::uint32_t thread, const spacetime::ThreadWait& wait) const;

  private:
    const ExportRun& run_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> by_number_;  // process and number
};

// Error: a file cannot be read.
Result<void> for_each_mark(const ExportRun& run, const std::function<void(const TimelineMark&)>& each);

// Error: a file cannot be read.
Result<void> for_each_flow(const ExportRun& run, const std::function<void(const TimelineFlow&)>& each);

// Marks, slices with the counters, then wake-ups and flows. Error: as walk_run().
Result<void> write_timeline(const ExportRun& run, TimelineWriter& writer);

// The run for timelines: threads' call paths do not include those that created them.
Result<ExportRun> load_timeline_run(const recording::Recording& recording);

}  // namespace kymo::view
