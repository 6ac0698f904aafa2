// Samples of programs that run, taken by the kernel: who is sampled, and the rings that the samples come by.
//
// Two events a processor. The clock's samples come as processor time passes; each has the user's registers and a
// piece of the user's stack. The second event has the same at every loss of the processor, which is where a thread
// begins to wait. Their rings also have what happens to processes: mappings of code, names, births, ends, switches.
// Nothing is put into the program; what the kernel does for a sample is all that it costs.
//
// Single-threaded.
#pragma once

#include "base/result.h"
#include "events/plan.h"
#include "import/perf/events.h"
#include "import/perf/record_reader.h"
#include "import/perf/visitor.h"

#include <cstdint>
#include <linux/perf_event.h>
#include <poll.h>
#include <span>
#include <sys/types.h>
#include <vector>

namespace kymo::attach {

// One of the three.
struct Scope {
    std::vector<pid_t> threads;  // these, and what they start
    int cgroup = -1;             // descriptor of a control group's directory: its processes
    bool machine = false;        // all that runs
};

struct SampleSettings {
    std::uint64_t frequency = 1000;    // samples a second of processor time
    std::uint32_t stack_bytes = 8192;  // of each sample; a multiple of 8 below 64 KiB
    bool on_exec = false;              // the events count from the thread's exec on, without enable()
};
inline constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
inline constexpr std::uint32_t kMostStackBytes = 65'528;

class SampleRings {
  public:
    SampleRings() = default;
    SampleRings(const SampleRings&) = delete;
    SampleRings& operator=(const SampleRings&) = delete;
    ~SampleRings() { close(); }

    // The events count from enable() on. kPermission names the setting or capability; kNotFound: all threads have
    // ended; kNoSpace: descriptors or locked memory. Cost: two descriptors a thread and processor.
    Result<void> open(const Scope& scope, const SampleSettings& settings);
    void enable(bool on);
    void close();

    // The events, as of a file of them.
    const import::perf::Events& events() const { return events_; }
    // What they lack, and why.
    const std::vector<events::Missing>& missing() const { return missing_; }

    // Descriptors that become readable when a ring is half full.
    void append_poll(std::vector<pollfd>& descriptors) const;

    // Empties the rings; hands on, in the order of time, what is older than the previous call. `last`: everything.
    void drain(bool last, import::perf::Visitor& to);

    std::uint64_t bytes() const { return bytes_seen_; }  // of records so far

  private:
    struct Ring {
        int descriptor = -1;  // one of descriptors_
        void* mapping = nullptr;
        std::size_t data_bytes = 0;
    };
    struct Place {
        std::uint64_t time = 0;
        std::size_t at = 0;  // in held_
    };

    void make_events(const Scope& scope, const SampleSettings& settings, bool with_kernel);
    int open_all(const Scope& scope);
    int open_events(const Scope& scope, int thread, int processor, Ring* ring);
    int add_to_ring(int descriptor, Ring* ring);
    void publish_events();
    void take(const Ring& ring);

    std::vector<perf_event_attr> attributes_;
    std::vector<std::vector<std::uint64_t>> ids_;  // by attribute
    std::vector<int> descriptors_;                 // all events
    std::vector<Ring> rings_;                      // one a processor
    std::size_t data_bytes_ = 0;                   // of the next ring
    bool is_short_of_memory_ = false;
    import::perf::Events events_;
    std::vector<events::Missing> missing_;
    std::vector<std::uint8_t> held_;  // records that have not been handed on
    std::vector<Place> places_;
    std::uint64_t settled_ = 0;  // all records before this time have come
    std::uint64_t bytes_seen_ = 0;
};

}  // namespace kymo::attach
