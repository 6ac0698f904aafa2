// Events without a counter of their own: the kernel keeps processor time, faults and switches of every thread and
// process anyhow (getrusage, the processor-time clocks).
#pragma once

#include "events/session.h"
#include "monitor/sampling/counter_values.h"

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <sys/resource.h>

namespace kymo::monitor {

// Whether getrusage and the processor-time clocks have a count for this event.
bool usage_counts(const events::SessionEvent& event);

// A thread without performance events reads the system time as well, if the session does not list it.
inline bool adds_system_time(const events::Session& session) {
    return session.mechanism != events::Mechanism::kThreadTimers;
}

// The session's events from what the kernel keeps of every thread and process anyhow.
void fill_from_usage(const events::Session& session, const rusage& usage, const timespec& spent,
                     CounterValues& values);

// The calling thread's; null: not available.
inline const rusage* own_usage(rusage& space) {
    return getrusage(RUSAGE_THREAD, &space) == 0 ? &space : nullptr;
}

// The events of one thread that are counted this way, since it was opened. `own` is the usage of the calling thread
// if it is that thread; null for another one, whose values, if usage is needed, are then those of its last sample.
class CountedByUsage {
  public:
    // `usage`, `spent`: the thread's use so far, which is not counted. No event is counted this way yet.
    void open(const events::Session& session, int tid, const rusage& usage, const timespec& spent);

    void add(std::size_t event) { events_ |= 1U << event; }
    void leave(std::size_t event) { events_ &= ~(1U << event); }
    bool has(std::size_t event) const { return (events_ >> event & 1U) != 0; }
    bool has_any() const { return events_ != 0; }

    // Writes the values of those events.
    void fill(CounterValues& values, const rusage* own, const CounterValues& latest) const;
    // All values, for a thread without other counters.
    void read(CounterValues& values, const rusage* own, const CounterValues& latest) const;
    // As fill_from_usage(), since open().
    void fill_since_open(const rusage& usage, const timespec& spent, CounterValues& values) const;

  private:
    const events::Session* session_ = nullptr;
    int tid_ = 0;
    std::uint32_t events_ = 0;  // bit i: event i
    CounterValues at_open_;
};

}  // namespace kymo::monitor
