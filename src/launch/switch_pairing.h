// From switch-out and switch-in records to intervals off the processor.
//
// Fed in the order of time, one call a record; an interval comes out when the thread is back on a processor. If
// records were lost, two outs may follow each other: the earlier interval's end is unknown and it is dropped. An in
// without an out (a thread's start) gives nothing. Memory: one entry a live thread. Single-threaded.
#pragma once

#include "launch/kernel_record.h"
#include "recording/tables.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace kymo::launch {

class SwitchPairing {
  public:
    // The interval that this record ends, if it ends one.
    std::optional<recording::Switch> take(const KernelRecord& record);

    // The threads that are still off, as open intervals in the order of time; forgets them.
    std::vector<recording::Switch> finish();

    // Intervals dropped because their end was lost.
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  private:
    struct Off {
        std::uint64_t time = 0;
        std::uint32_t processor = 0;
        bool preempted = false;
    };
    std::unordered_map<std::uint32_t, Off> off_;  // by tid
    std::uint64_t dropped_ = 0;
};

}  // namespace kymo::launch
