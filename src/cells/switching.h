// Which of a process's threads sees to what somebody outside has switched (docs/cells-format.md, "Switched off").
//
// Any thread looks, at its samples and in signal handlers; one at a time does what is wanted, and by the newest bits:
// a thread that was held up after it had read them does not put older ones back in force. Never waits.
#pragma once

#include <atomic>
#include <cstdint>

namespace kymo::cells {

class Switching {
  public:
    // read(bits) loads what is wanted now, and is called again once no other thread is at it. False: nothing else
    // than what was done last, or another thread is at it. After true the caller does so and calls end().
    template <typename Read>
    bool begin(Read read, std::uint64_t (&bits)[2]) {
        read(bits);
        if (is_done(bits) || is_busy_.exchange(true, std::memory_order_acquire)) {
            return false;
        }
        read(bits);
        if (is_done(bits)) {
            is_busy_.store(false, std::memory_order_release);
            return false;
        }
        return true;
    }
    void end(const std::uint64_t (&bits)[2]) {
        for (int i = 0; i < 2; ++i) {
            __atomic_store_n(&done_[i], bits[i], __ATOMIC_RELAXED);
        }
        is_busy_.store(false, std::memory_order_release);
    }
    // The one that was at it may be a thread of the parent's.
    void after_fork() { is_busy_.store(false, std::memory_order_relaxed); }

  private:
    bool is_done(const std::uint64_t (&bits)[2]) const {
        return bits[0] == __atomic_load_n(&done_[0], __ATOMIC_RELAXED) &&
               bits[1] == __atomic_load_n(&done_[1], __ATOMIC_RELAXED);
    }

    std::atomic<bool> is_busy_{false};
    std::uint64_t done_[2] = {};
};

}  // namespace kymo::cells
