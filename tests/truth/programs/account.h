// What the known-answer programs share: work of a known amount, and clocks to keep their own account of it.
//
// The account is taken from CLOCK_THREAD_CPUTIME_ID around each piece of work, in the program itself, and printed as
// one line of JSON at the end: the truth that the recording is held against. Pieces last a millisecond and more, so
// reading the clock costs nothing that would show.
#pragma once

#include <cstdint>
#include <ctime>

namespace account {

inline std::int64_t read_clock(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

inline std::int64_t thread_time() {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

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
