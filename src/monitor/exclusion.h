// Mutual exclusion inside the monitor.
//
// SpinLock: short critical sections shared by threads and by their sampling handlers. A handler may spin on
// it, because nobody who holds it can be waiting for that handler: outside handlers it is only taken under
// Quiet. A forked child resets it (the holder may not exist there).
//
// Quiet: this thread takes no signal until the end of the scope, so the sampling handler cannot interrupt the
// monitor's own work on this thread, and no handler of the program can jump out of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

class SpinLock {
  public:
    void lock() {
        while (held_.exchange(1, std::memory_order_acquire) != 0) {
            // The holder may be on this very processor, preempted: let it run.
            syscall(SYS_sched_yield);
        }
    }
    void unlock() { held_.store(0, std::memory_order_release); }
    void reset() { held_.store(0, std::memory_order_relaxed); }

  private:
    std::atomic<std::uint32_t> held_{0};
};

class Locked {
  public:
    explicit Locked(SpinLock& lock) : lock_(lock) { lock_.lock(); }
    ~Locked() { lock_.unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

  private:
    SpinLock& lock_;
};

// The kernel's own mask type: 64 signals in 8 bytes. The raw call is used because sigprocmask is one of the
// functions that the monitor interposes.
inline constexpr std::uint64_t kAllSignals = ~std::uint64_t{0};

inline std::uint64_t change_mask(int how, std::uint64_t mask) {
    std::uint64_t before = 0;
    syscall(SYS_rt_sigprocmask, how, &mask, &before, sizeof mask);
    return before;
}

class Quiet {
  public:
    Quiet() : before_(change_mask(SIG_SETMASK, kAllSignals)) {}
    ~Quiet() { change_mask(SIG_SETMASK, before_); }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

    std::uint64_t mask_before() const { return before_; }

    // At the end of the scope `signal` is not blocked. Returns whether it was before.
    bool let_through(int signal) {
        const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(signal - 1);
        const bool was_blocked = (before_ & bit) != 0;
        before_ &= ~bit;
        return was_blocked;
    }

  private:
    std::uint64_t before_;
};

}  // namespace kymo::monitor
