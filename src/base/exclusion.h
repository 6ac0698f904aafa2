// Mutual exclusion inside the measured program, for the monitor and all other code of Kymo that runs there.
//
// Lock: short critical sections shared by threads and by their sampling handlers. A handler may wait for it,
// because its holder is never a thread that waits for that handler: outside handlers it is only taken under Quiet.
// Waiters sleep (futex; three states, as in U. Drepper, "Futexes Are Tricky", 2011): if they yielded and tried
// again, a preempted holder among thousands of threads would wait for a turn of each of them (seen: 30 s for 5,000
// threads that end together). A forked child resets it (the holder may not exist there). errno is kept.
//
// Quiet: this thread takes no signal until the end of the scope, so the sampling handler cannot interrupt the
// monitor's own work on this thread, and no handler of the program can jump out of it.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo {

class Lock {
  public:
    void lock() {
        std::uint32_t seen = kFree;
        if (state_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire)) {
            return;
        }
        const int error = errno;
        while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
            syscall(SYS_futex, &state_, kWait, kAwaited, nullptr);
        }
        errno = error;
    }
    void unlock() {
        if (state_.exchange(kFree, std::memory_order_release) == kAwaited) {
            syscall(SYS_futex, &state_, kWake, 1);
        }
    }
    void reset() { state_.store(kFree, std::memory_order_relaxed); }

  private:
    static constexpr std::uint32_t kFree = 0;
    static constexpr std::uint32_t kHeld = 1;
    static constexpr std::uint32_t kAwaited = 2;
    static constexpr int kWait =
        128;  // FUTEX_WAIT | FUTEX_PRIVATE_FLAG; linux/futex.h clashes with some C libraries'
    static constexpr int kWake = 129;

    std::atomic<std::uint32_t> state_{kFree};
    static_assert(sizeof(state_) == 4);
};

class Locked {
  public:
    explicit Locked(Lock& lock) : lock_(lock) { lock_.lock(); }
    ~Locked() { lock_.unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

  private:
    Lock& lock_;
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

    // At the end of the scope this is the mask.
    void leave(std::uint64_t mask) { before_ = mask; }

  private:
    std::uint64_t before_;
};

}  // namespace kymo
