// All that a trace says, by thread, until its end is known: events come in any order of threads and times.
//
// Not thread-safe. Memory: 48 bytes a slice, a sample or a flow's point, 40 a mark, 70 a frame of samples, and each
// different name once.
#pragma once

#include "import/import.h"
#include "import/named/trace.h"
#include "import/trace/thread_slices.h"
#include "recording/tables/tasks.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kymo::import {

struct TraceName {
    std::string category;  // the first one
    std::string name;
    std::string detail;
};

struct TraceMark {
    std::uint64_t time = 0;
    std::uint32_t name = 0;
    std::uint8_t kind = 0;  // recording::MarkKind
    std::int64_t value = 0;
};

// The thread had a processor.
struct TraceRun {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// What leads from a moment of one thread to a later one of another.
struct TraceArrow {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::pair<std::uint32_t, std::uint32_t> from;  // process and thread
    std::pair<std::uint32_t, std::uint32_t> to;
    std::uint32_t name = 0;
};

// Where the thread was, as another profiler saw it.
struct TraceSampleAt {
    static constexpr std::uint32_t kNoFrame = std::numeric_limits<std::uint32_t>::max();

    std::uint64_t time = 0;
    std::uint64_t since = 0;  // of what it stands for; `time` where that is a moment
    std::uint64_t weight = 0;
    std::uint64_t frame_number = 0;  // the reader's
    std::uint32_t frame = kNoFrame;  // the innermost; once all is settled
    std::uint8_t event = 0;          // of sample_events()
    bool is_outside_slices = false;  // inside a slice it says nothing of where
};

struct TraceThread {
    std::string name = {};
    ThreadSlices slices = {};
    std::vector<TraceMark> marks = {};
    std::vector<TraceRun> runs = {};  // in time, where the trace has switches
    std::vector<TraceSampleAt> samples = {};
};

class TraceEvents : public named::TraceVisitor {
  public:
    static constexpr std::size_t kMostEvents = std::size_t{1} << 26U;
    static constexpr std::size_t kMostNames = std::size_t{1} << 22U;
    using Key = std::pair<std::uint32_t, std::uint32_t>;  // process and thread

    explicit TraceEvents(const ImportOptions& options) : options_(options) {}

    void event(const named::TraceEvent& event) override;
    void processor_switch(const named::TraceSwitch& row) override;
    void flow(const named::TraceFlow& row) override;
    void stack_frame(const named::TraceFrame& frame) override;
    void stack_sample(const named::TraceSample& sample) override;
    void process_name(std::uint32_t pid, std::string_view name) override { process_names_[pid] = name; }
    void thread_name(std::uint32_t pid, std::uint32_t tid, std::string_view name) override {
        thread_names_[{pid, tid}] = name;
    }
    bool enough() const override { return is_full_ || is_cancelled(); }

    bool is_cancelled() const { return options_.is_cancelled != nullptr && options_.is_cancelled(); }
    bool is_full() const { return is_full_; }

    // Once all has come. Names and marks of processes go to one of their threads, switches become their threads'
    // runs, samples have their frames, points of flows become arrows.
    void settle();

    std::map<Key, TraceThread>& threads() { return threads_; }
    // In the order of their ends.
    const std::vector<TraceArrow>& arrows() const { return arrows_; }
    std::uint64_t lonely_flows() const { return lonely_flows_; }  // points without another one
    const TraceName& name(std::uint32_t number) const { return names_[number]; }
    // What samples count: by default "profile-samples".
    const std::vector<std::string>& sample_events() const { return sample_events_; }
    static constexpr std::size_t kMostSampleEvents = 16;
    // Names of a sample's frames, innermost first: so many at most.
    static constexpr std::size_t kMostFrames = 512;
    void append_stack(const TraceSampleAt& sample, std::vector<std::uint32_t>& to) const;
    std::uint64_t unknown_stacks() const { return unknown_stacks_; }  // of samples
    std::string process_name_of(std::uint32_t pid) const;
    std::uint64_t first_time() const { return first_; }
    bool has_clocks() const { return has_clocks_; }  // some slices have the thread's clock
    // In time, of all threads; and those with a known process.
    const std::vector<named::TraceSwitch>& switches() const { return switches_; }
    const std::unordered_map<std::uint32_t, std::uint32_t>& process_of_thread() const { return process_of_thread_; }
    std::uint64_t unpaired() const { return unpaired_ + open_.size(); }  // ends of asynchronous spans

  private:
    std::uint32_t number_of(std::string_view category, std::string_view name, std::string_view detail);
    void find_processes();
    void find_runs();
    void settle_samples();
    void settle_flows();
    void add_mark(Key thread, std::uint64_t time, std::uint32_t name, recording::MarkKind kind, double value);
    Key thread_of(const named::TraceEvent& event) const { return {event.pid, event.tid}; }

    const ImportOptions& options_;
    std::map<Key, TraceThread> threads_;
    std::map<std::uint32_t, std::string> process_names_;
    std::map<Key, std::string> thread_names_;
    std::vector<TraceName> names_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
    // Asynchronous spans that have begun, by process, id and name.
    struct Span {
        Key thread;
        std::uint32_t name = 0;  // with its detail
    };
    std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>, Span> open_;
    struct FlowPoint {
        std::uint64_t time = 0;
        std::uint64_t id = 0;
        Key thread;
        std::uint32_t name = 0;
        named::FlowPart part{};
        bool is_joined = false;  // with another one
    };
    std::vector<FlowPoint> flow_points_;
    std::vector<TraceArrow> arrows_;
    std::uint64_t lonely_flows_ = 0;
    struct StackFrame {
        std::uint64_t parent = 0;  // the reader's number; 0: none
        std::uint32_t name = 0;
    };
    std::unordered_map<std::uint64_t, std::uint32_t> frame_numbers_;  // by the reader's
    std::vector<StackFrame> frames_;
    std::vector<std::string> sample_events_;
    std::uint64_t unknown_stacks_ = 0;
    std::vector<named::TraceSwitch> switches_;
    std::unordered_map<std::uint32_t, std::uint32_t> process_of_thread_;
    std::uint64_t first_ = std::numeric_limits<std::uint64_t>::max();
    std::size_t events_ = 0;
    std::uint64_t unpaired_ = 0;
    bool has_clocks_ = false;
    bool is_full_ = false;
};

}  // namespace kymo::import
