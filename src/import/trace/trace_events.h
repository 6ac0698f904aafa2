// All that a trace says, by thread, until its end is known: events come in any order of threads and times.
//
// Not thread-safe. Memory: 48 bytes a slice, 40 a mark, and each different name once.
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

struct TraceThread {
    std::string name = {};
    ThreadSlices slices = {};
    std::vector<TraceMark> marks = {};
    std::vector<TraceRun> runs = {};  // in time, where the trace has switches
};

class TraceEvents : public named::TraceVisitor {
  public:
    static constexpr std::size_t kMostEvents = std::size_t{1} << 26U;
    static constexpr std::size_t kMostNames = std::size_t{1} << 22U;
    using Key = std::pair<std::uint32_t, std::uint32_t>;  // process and thread

    explicit TraceEvents(const ImportOptions& options) : options_(options) {}

    void event(const named::TraceEvent& event) override;
    void processor_switch(const named::TraceSwitch& row) override;
    void process_name(std::uint32_t pid, std::string_view name) override { process_names_[pid] = name; }
    void thread_name(std::uint32_t pid, std::uint32_t tid, std::string_view name) override {
        thread_names_[{pid, tid}] = name;
    }
    bool enough() const override { return is_full_ || is_cancelled(); }

    bool is_cancelled() const { return options_.is_cancelled != nullptr && options_.is_cancelled(); }
    bool is_full() const { return is_full_; }

    // Once all has come. Names and marks of processes go to one of their threads, switches become their threads'
    // runs.
    void settle();

    std::map<Key, TraceThread>& threads() { return threads_; }
    const TraceName& name(std::uint32_t number) const { return names_[number]; }
    std::string process_name_of(std::uint32_t pid) const;
    std::uint64_t first_time() const { return first_; }
    bool has_clocks() const { return has_clocks_; }  // some slices have the thread's clock
    // In time, of all threads; and those with a known process.
    const std::vector<named::TraceSwitch>& switches() const { return switches_; }
    const std::unordered_map<std::uint32_t, std::uint32_t>& process_of_thread() const { return process_of_thread_; }
    std::uint64_t unpaired() const { return unpaired_ + open_.size(); }  // ends of asynchronous spans

  private:
    std::uint32_t number_of(std::string_view category, std::string_view name, std::string_view detail);
    void find_runs();
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
    std::vector<named::TraceSwitch> switches_;
    std::unordered_map<std::uint32_t, std::uint32_t> process_of_thread_;
    std::uint64_t first_ = std::numeric_limits<std::uint64_t>::max();
    std::size_t events_ = 0;
    std::uint64_t unpaired_ = 0;
    bool has_clocks_ = false;
    bool is_full_ = false;
};

}  // namespace kymo::import
