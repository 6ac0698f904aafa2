// Samples of programs that run, between the kernel's rings and their recording: where events were opened again, so
// that the old ones and the new ones both have samples for a while, none counts twice and no time is missed.
//
// A clock's first sample after a change does not stand for its whole period: the time since the last sample before it
// is what the records of switches say. A loss of the processor that both have seen counts once.
//
// Not thread-safe. Memory: some 50 bytes a live thread and processor that it has run on.
#pragma once

#include "attach/sample_events.h"
#include "import/perf/visitor.h"

#include <compare>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kymo::attach {

class Seams final : public import::perf::Visitor {
  public:
    // `by_thread`: the clock counts each thread's time; else each processor's. `switches`: the event whose samples
    // say that a thread loses its processor; no event's number: there is none. `to` outlives this. Samples of other
    // events are handed on as they are: those events last.
    Seams(bool by_thread, std::uint32_t switches, import::perf::Visitor& to)
        : by_thread_(by_thread), switches_(switches), to_(to) {}

    // Events are opened again from now on: what had no sample yet may have counted before.
    void begin_change();
    // Threads that live, by the records so far; ascending.
    struct Member {
        std::uint32_t pid = 0;
        std::uint32_t tid = 0;
        auto operator<=>(const Member&) const = default;
    };
    std::vector<Member> threads() const;

    void mapping(const import::perf::Mapping& row) override { to_.mapping(row); }
    void comm(const import::perf::Comm& row) override;
    void fork(const import::perf::Fork& row) override;
    void exit(const import::perf::Exit& row) override;
    void context_switch(const import::perf::Switch& row) override;
    void lost(const import::perf::Lost& row) override { to_.lost(row); }
    void sample(const import::perf::Sample& row) override;

  private:
    // What one clock counts: a thread on one processor, or a processor.
    struct Stretch {
        std::uint32_t processor = 0;
        unsigned change = 0;      // when it was first seen
        std::uint64_t event = 0;  // of its last sample; 0: it had none
        std::uint64_t ran = 0;    // since then, up to `since`; ns
        std::uint64_t since = 0;  // on the processor; 0: it is not, or that is not known
    };
    struct Thread {
        std::uint32_t pid = 0;
        std::uint64_t lost_in = 0;       // the event whose sample says that it loses its processor; 0: none does
        std::vector<Stretch> stretches;  // with by_thread_
    };
    Stretch& stretch_of(std::uint32_t tid, std::uint32_t processor);
    bool is_seen(const import::perf::Sample& row);
    std::uint64_t period_of(const import::perf::Sample& row);

    bool by_thread_;
    std::uint32_t switches_;
    import::perf::Visitor& to_;
    unsigned change_ = 0;  // of events, so far
    std::unordered_map<std::uint32_t, Thread> threads_;
    std::unordered_map<std::uint32_t, Stretch> processors_;  // without by_thread_
};

}  // namespace kymo::attach
