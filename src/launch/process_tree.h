// Selects the recorded program's records from the whole machine's: its own from its exec on, and those of every
// thread and process that it started, for as long as each lives.
//
// Fed in the order of time (a fork is recorded before the new task first runs). A process belongs to the tree until
// the last of its threads has ended: an exec by another thread than the first ends the first, and goes on under its
// number. Memory: one entry a live process. Single-threaded.
#pragma once

#include "launch/kernel_record.h"

#include <cstdint>
#include <unordered_map>

namespace kymo::launch {

class ProcessTree {
  public:
    explicit ProcessTree(std::uint32_t program) : program_(program) {}

    // Whether this record is of a process of the tree, or about lost records (kLost).
    bool take(const KernelRecord& record);

  private:
    std::uint32_t program_;
    bool begun_ = false;
    std::unordered_map<std::uint32_t, std::uint32_t> threads_;  // number of live threads, by process
};

}  // namespace kymo::launch
