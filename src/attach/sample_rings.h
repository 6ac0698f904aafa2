// Samples of programs that run, taken by the kernel: the rings that they come by.
//
// Nothing is put into the program; what the kernel does for a sample is all that it costs.
//
// Single-threaded.
#pragma once

#include "attach/sample_events.h"
#include "base/result.h"
#include "events/plan.h"
#include "import/perf/events.h"
#include "import/perf/record_reader.h"
#include "import/perf/visitor.h"

#include <cstdint>
#include <linux/perf_event.h>
#include <optional>
#include <poll.h>
#include <span>
#include <sys/types.h>
#include <vector>

namespace kymo::attach {

class SampleRings {
  public:
    SampleRings() = default;
    SampleRings(const SampleRings&) = delete;
    SampleRings& operator=(const SampleRings&) = delete;
    ~SampleRings() { close(); }

    // The events count from enable() on. kPermission names the setting or capability; kNotFound: all threads have
    // ended; kNoSpace: descriptors or locked memory; as of why_refused(): of an event that was asked for. Cost: three
    // descriptors a thread and processor, and one for each of those.
    Result<void> open(const Scope& scope, const SampleSettings& settings);
    void enable(bool on);
    void close();

    // Samples with another size of the copied stack, in the same rings: the old ones go on until the change ends, so
    // that nothing is missed and some come twice (seams.h). Of a scope of threads, begin_change() does these, and
    // add_to_change() others that have no such events from those that started them. 0, or an errno; after one,
    // end_change(false) leaves all as before. Cost: two descriptors a thread and processor, until the end.
    int begin_change(const Scope& scope, std::uint32_t stack_bytes);
    int add_to_change(const Scope& scope);
    void end_change(bool is_made);

    // The events, as of a file of them.
    const import::perf::Events& events() const { return events_; }
    // What they lack, and why.
    const std::vector<events::Missing>& missing() const { return missing_; }

    // The event whose samples say that a thread loses its processor, and the one whose samples say who wakes which
    // thread, which is the last; kNotGiven: there is none.
    std::uint32_t switches() const { return switches_; }
    std::uint32_t wakes() const { return wakes_; }
    bool has_wakes() const { return wakes_ != import::perf::kNotGiven; }

    // Descriptors that become readable when a ring is half full.
    void append_poll(std::vector<pollfd>& descriptors) const;

    // Empties the rings; hands on, in the order of time, what is older than the previous call. `last`: everything.
    void drain(bool last, import::perf::Visitor& to);

    // Hands on the records of this type that have come and that drain() has not handed on yet, which it will still
    // do. In no order.
    void look_ahead(std::uint32_t type, import::perf::Visitor& to);

    // Records that there was no room for, those too of which no record has come yet; 0: not known. Cost: a system
    // call for each descriptor.
    std::uint64_t lost() const;

    // Adds to missing(): samples of events that were asked for, of which there was no room for some. Before close().
    void tell_lost_of_asked();

    std::uint64_t bytes() const { return bytes_seen_; }  // of records so far
    // Bytes of records that each ring holds.
    std::size_t ring_bytes() const { return data_bytes_; }

  private:
    struct Ring {
        int processor = 0;
        int descriptor = -1;  // one of lasting_
        void* mapping = nullptr;
        std::size_t data_bytes = 0;
    };
    struct Place {
        std::uint64_t time = 0;
        std::size_t at = 0;  // in held_
    };

    int open_all(const Scope& scope, const SampleSettings& settings, bool with_kernel,
                 std::optional<std::uint64_t> waking);
    int open_lasting(const Scope& scope, const perf_event_attr& attr);
    int open_asked(const Scope& scope);
    int open_sampling(const Scope& scope, std::vector<int>* to);
    int open_into_rings(const Scope& scope, const perf_event_attr& attr, std::uint32_t event, std::vector<int>* to);
    int open_event(const Scope& scope, const perf_event_attr& attr, int thread, int processor, std::uint32_t event,
                   std::vector<int>* to);
    int add_to_ring(int descriptor, Ring* ring);
    void take(const Ring& ring);
    std::uint64_t lost_by_all(std::span<const int> descriptors) const;
    std::span<const std::uint8_t> record_at(const Place& place) const;

    std::vector<perf_event_attr> sampling_;
    std::vector<perf_event_attr> asked_;
    std::vector<int> lasting_;             // descriptors, those of asked_ as well
    std::vector<std::size_t> asked_ends_;  // of those of each one of asked_, in lasting_
    std::vector<int> samplers_;            // likewise, of the events of sampling_
    std::vector<int> changed_;             // likewise, while they change
    std::vector<Ring> rings_;              // one a processor
    std::size_t data_bytes_ = 0;           // of the next ring
    bool is_short_of_memory_ = false;
    std::uint32_t switches_ = import::perf::kNotGiven;
    std::uint32_t wakes_ = import::perf::kNotGiven;
    std::optional<std::size_t> refused_;  // of those that were asked for
    import::perf::Events events_;
    std::vector<events::Missing> missing_;
    std::vector<std::uint8_t> held_;  // records that have not been handed on
    std::vector<Place> places_;
    std::uint64_t settled_ = 0;  // all records before this time have come
    std::uint64_t bytes_seen_ = 0;
    std::uint64_t lost_before_ = 0;  // of events that are closed
};

}  // namespace kymo::attach
