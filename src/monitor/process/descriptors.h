// The monitor's file descriptors in a process that is not ours.
//
// They are moved up, out of the range that the program's own open() returns (its descriptors keep the numbers they
// have without the monitor), and are recorded in a table: the sampling signal's entry finds a thread's state by
// the descriptor in the signal (signal_entry.h), and the program's close() and close_range() spare them.
//
// A program with a low limit keeps all of its low numbers; if none is left above, the monitor works without
// descriptors (thread timers).
//
// The table is one reservation indexed by descriptor, touched only where used. All functions are signal-safe and
// may run in any thread; a descriptor's owner is set and cleared by the thread that has it open.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

struct ThreadState;

class Descriptors {
  public:
    // Reserves the table for the process's limit of open files. False: no memory.
    bool reserve();

    // Moves `descriptor` above base() and makes `owner` (may be null for descriptors that never signal) its owner.
    // Returns the new number, or −1 and errno with `descriptor` closed.
    int adopt(int descriptor, ThreadState* owner);
    void close(int descriptor);

    bool is_ours(int descriptor) const {
        return descriptor >= base_ && descriptor < end_ &&
               table_[descriptor - base_].load(std::memory_order_acquire) != nullptr;
    }
    // The lowest descriptor of ours that is ≥ `from`; −1: none. Cost: one load a number between.
    int next_ours(int from) const;
    int base() const { return base_; }
    // False: the limit leaves none for us.
    bool has_any() const { return base_ < end_; }
    // More than half of the descriptors left to us are in use: optional ones are then left to later threads.
    bool are_short() const { return 2 * in_use_.load(std::memory_order_relaxed) > end_ - base_; }

  private:
    static ThreadState* unowned() { return reinterpret_cast<ThreadState*>(1); }

    std::atomic<ThreadState*>* table_ = nullptr;
    int base_ = 0;
    int end_ = 0;
    std::atomic<int> highest_{-1};
    std::atomic<int> in_use_{0};
};

}  // namespace kymo::monitor
