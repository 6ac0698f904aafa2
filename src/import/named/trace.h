// Traces: what threads did from when to when, as programs with built-in tracing write it. Texts are valid during the
// visitor's call only; they are bytes of the file, so not fit to be printed as they are. Times are nanoseconds.
#pragma once

#include "base/result.h"
#include "import/named/sample.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::import::named {

enum class TraceKind : std::uint8_t {
    kBegin,       // of a slice of its thread; slices nest
    kEnd,         // of the innermost one that is open
    kComplete,    // a slice with its duration
    kInstant,     // a point in time of a thread, or of a process
    kAsyncBegin,  // of a span that need not nest; `id` and the name tell it from others
    kAsyncEnd,
    kCounter,  // from now on the counter has this value
};

struct TraceEvent {
    TraceKind kind{};
    std::uint64_t time = 0;
    std::uint64_t duration = 0;
    std::uint32_t pid = 0;
    std::uint32_t tid = kNotGiven;  // none: of the process
    std::string_view name;
    std::string_view category;  // empty: none
    std::string_view detail;    // what the slice was about, as of clang -ftime-trace; empty: none
    // The thread's clock of processor time at its begin or end, and how much of that passed; none: not known.
    std::optional<std::uint64_t> thread_time = {};
    std::optional<std::uint64_t> thread_duration = {};
    std::uint64_t id = 0;
    double value = 0;
};

// A processor goes from one thread to another. Thread 0 is none.
struct TraceSwitch {
    std::uint64_t time = 0;
    std::uint32_t processor = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool is_preempted = false;  // `from` would have gone on
};

// A frame of the stacks that samples have. Numbers are the reader's, not 0; parents may come behind their children.
struct TraceFrame {
    std::uint64_t number = 0;
    std::uint64_t parent = 0;  // the next frame out; 0: none
    std::string_view module;   // empty: not known
    std::string_view function;
};

// Where a thread was at one moment, as another profiler saw it.
struct TraceSample {
    std::uint64_t time = 0;
    std::uint32_t pid = kNotGiven;  // none: the process of a thread with that number
    std::uint32_t tid = kNotGiven;
    std::uint64_t frame = 0;  // the innermost
    std::uint64_t weight = 1;
    std::string_view name = {};      // of what was counted; empty: not known
    bool represents_time = false;    // that from `since` on
    bool is_outside_slices = false;  // inside a slice the frame says nothing
    std::uint64_t since = 0;
};

enum class FlowPart : std::uint8_t {
    kBegin,  // it leaves here, whatever had its number before
    kStep,   // it arrives, if it has left, and leaves again
    kEnd,    // it arrives
};

// A point of a flow: what leads from a moment of one thread to a later one of another.
struct TraceFlow {
    std::uint64_t time = 0;
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::uint64_t id = 0;  // of all points of the flow
    FlowPart part{};
    std::string_view name = {};  // empty: none
};

struct TraceFacts {
    std::uint64_t events = 0;          // delivered, samples and points of flows as well
    std::vector<std::string> notices;  // what is missing or was left out; each one line without a full stop
};

// What is not overridden is passed over.
class TraceVisitor {
  public:
    virtual ~TraceVisitor() = default;

    virtual void event(const TraceEvent&) {}
    virtual void processor_switch(const TraceSwitch&) {}
    virtual void flow(const TraceFlow&) {}
    virtual void stack_frame(const TraceFrame&) {}
    virtual void stack_sample(const TraceSample&) {}
    virtual void process_name(std::uint32_t /*pid*/, std::string_view /*name*/) {}
    virtual void thread_name(std::uint32_t /*pid*/, std::uint32_t /*tid*/, std::string_view /*name*/) {}

    // Asked now and then; true ends the reading without an error.
    virtual bool enough() const { return false; }
};

}  // namespace kymo::import::named
