// A thread's own records of its switches, for machines with so many processors that the parent takes none of the
// whole tree (launch/record_reach.h).
//
// One dummy event on the thread, with a page of records that the thread empties itself: with every sample, after
// every wait, and at its end. So no thread is woken or signalled. A page holds about 50 switches; more between two
// emptyings are lost, and reported (`kernel-lost`). Before the event was opened nothing is known.
//
// open(), close() in the thread, under Quiet; take() in the thread, marked busy, or in the one that ends the process.
// Cost: some 20 µs a thread for opening, mapping and closing, whatever the number of processors; 8 KiB of locked
// memory, one descriptor.
#pragma once

#include "events/ring.h"
#include "monitor/process/descriptors.h"

#include <cstdint>

namespace kymo::monitor {

struct ThreadState;

// Absences, from the records of leaving and coming back.
class Absences {
  public:
    struct Absence {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::uint32_t processor_before = 0;
        std::uint32_t processor_after = 0;
        bool preempted = false;
    };
    void clear() { is_off_ = false; }
    // The absence from which the thread has not come back, as far as known; nullptr: none.
    const Absence* open() const { return is_off_ ? &last_ : nullptr; }
    // The next record: calls absent(const Absence&) if it ends one, lost(records) if the kernel had no room.
    template <typename Absent, typename Lost>
    void take(const events::RingRecord& record, const Absent& absent, const Lost& lost);

  private:
    bool is_off_ = false;  // since then:
    Absence last_;
};

class OwnSwitches {
  public:
    using Absence = Absences::Absence;
    // 0, or why not (errno): then this thread has no records.
    int open(Descriptors& descriptors, ThreadState* owner);
    void close(Descriptors& descriptors);
    // In a forked child: the mapping is not there, the descriptor a copy.
    void abandon(Descriptors& descriptors);
    bool is_open() const { return ring_ != nullptr; }

    // The absence from which the thread has not come back, as far as known; nullptr: none.
    const Absence* absence() const { return absences_.open(); }
    // Calls absent(const Absence&) for every time that the thread was off a processor and is back, in the order of
    // time, and lost(records) if the kernel had no room.
    template <typename Absent, typename Lost>
    void take(const Absent& absent, const Lost& lost);

  private:
    static constexpr std::size_t kPage = 4096;

    perf_event_mmap_page* ring_ = nullptr;
    int descriptor_ = -1;
    Absences absences_;
};

template <typename Absent, typename Lost>
void Absences::take(const events::RingRecord& record, const Absent& absent, const Lost& lost) {
    constexpr std::uint16_t kPreempted = 1U << 14U;  // PERF_RECORD_MISC_SWITCH_OUT_PREEMPT
    events::RingTrailer trailer;
    if (record.type() == PERF_RECORD_LOST) {
        is_off_ = false;  // its return may be among them
        lost(record[1]);
    } else if (record.type() == PERF_RECORD_SWITCH && events::parse_trailer(record, trailer)) {
        if ((record.misc() & PERF_RECORD_MISC_SWITCH_OUT) != 0) {
            is_off_ = true;
            last_ = {trailer.time, 0, trailer.processor, 0, (record.misc() & kPreempted) != 0};
        } else if (is_off_ && trailer.time >= last_.begin) {
            is_off_ = false;
            last_.end = trailer.time;
            last_.processor_after = trailer.processor;
            absent(last_);
        }
    }
}

template <typename Absent, typename Lost>
void OwnSwitches::take(const Absent& absent, const Lost& lost) {
    if (ring_ != nullptr) {
        events::drain(ring_, kPage, kPage,
                      [&](const events::RingRecord& record) { absences_.take(record, absent, lost); });
    }
}

}  // namespace kymo::monitor
