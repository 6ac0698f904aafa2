// Which of a process's threads applies a switch from outside (docs/cells-format.md, "Switched off").
//
// Any thread checks, at its samples and in signal handlers; one at a time applies the newest bits: a thread that
// was delayed after reading older ones does not apply them. Never waits.
#pragma once

#include <atomic>
#include <cstdint>

namespace kymo::cells {

class Switching {
  public:
    // read(bits) loads the requested bits, and is called again once no other thread is applying them. False: they
    // are applied already, or another thread is doing it. After true the caller applies them and calls end().
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
    // The thread that was applying them may be the parent's.
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
