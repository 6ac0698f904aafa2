// What the known-answer programs share: work of a known amount, and clocks to keep their own account of it.
//
// The account is taken from CLOCK_THREAD_CPUTIME_ID around each piece of work, in the program itself, and printed as
// one line of JSON at the end: the truth that the recording is held against. Pieces last a millisecond and more, so
// reading the clock costs nothing that would show.
#pragma once

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <sys/resource.h>

namespace account {

inline std::int64_t read_clock(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

inline std::int64_t thread_time() {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

// How long a thread of this process (0: the calling one) was ready to run while others had its processor: the
// kernel's own account (run_delay), 0 where it keeps none.
inline std::int64_t ready_time(long tid = 0) {
    char path[64] = "/proc/thread-self/schedstat";
    if (tid != 0) {
        std::snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", tid);
    }
    long long on = 0;
    long long ready = 0;
    if (std::FILE* file = std::fopen(path, "r"); file != nullptr) {
        if (std::fscanf(file, "%lld %lld", &on, &ready) != 2) {
            ready = 0;
        }
        std::fclose(file);
    }
    return ready;
}

// How much of what a thread measures between two clock readings it may have spent, ready to run, between a reading
// and the call that it is about: nothing where it was not preempted, else no more than it was ready to run at all.
// (To be ready and wait for a processor after the call's end belongs to the call for everybody who measures it from
// outside.)
class Preempted {
  public:
    void begin() {
        switches_ = switches();
        ready_ = ready_time();
    }
    void end() {
        if (switches() != switches_) {
            ns_ += ready_time() - ready_;
        }
    }
    std::int64_t ns() const { return ns_; }

  private:
    static long switches() {
        rusage usage{};
        getrusage(RUSAGE_THREAD, &usage);
        return usage.ru_nivcsw;
    }

    long switches_ = 0;
    std::int64_t ready_ = 0;
    std::int64_t ns_ = 0;
};

// A stretch of dependent integer arithmetic, about a microsecond. Inlined, so the time belongs to the caller.
[[gnu::always_inline]] inline std::uint64_t microsecond(std::uint64_t x) {
    for (int i = 0; i < 400; ++i) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        x ^= x >> 29;
        asm volatile("" : "+r"(x));
    }
    return x;
}

[[gnu::always_inline]] inline void microseconds(int count) {
    std::uint64_t x = 1;
    for (int i = 0; i < count; ++i) {
        x = microsecond(x);
    }
    asm volatile("" ::"r"(x));
}

// Lengths that no sampling period can be in step with: 50 to 150 per cent of `mean`.
class Lengths {
  public:
    int around(int mean) {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return mean / 2 + static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(mean));
    }

  private:
    std::uint64_t state_ = 42;
};

}  // namespace account
