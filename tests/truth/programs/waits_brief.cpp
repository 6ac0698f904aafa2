// Two threads that meet after every few microseconds, one of which has four times the work of the other: it keeps the
// other waiting, polling, for longer than that works, but never for long. They change their parts now and then, so
// that it does not matter whose processor is faster. Ends early where others have the processors. Prints how often
// they met.
#include "account.h"

#include <cstdio>
#include <omp.h>

namespace {

constexpr int kThreads = 2;
constexpr int kParts = 300;
constexpr int kMeetingsOfAPart = 1'000;
constexpr std::int64_t kMostNs = 4'000'000'000;

[[gnu::noinline]] void shorter() {
    account::microseconds(1);
    asm volatile("");
}

[[gnu::noinline]] void longer() {
    account::microseconds(4);
    asm volatile("");
}

}  // namespace

int main() {
    const std::int64_t last = account::read_clock(CLOCK_MONOTONIC) + kMostNs;
    bool goes_on = true;
    int parts = 0;
#pragma omp parallel num_threads(kThreads)
    while (goes_on) {
        for (int meeting = 0; meeting < kMeetingsOfAPart; ++meeting) {
            if ((parts + omp_get_thread_num()) % 2 == 0) {
                shorter();
            } else {
                longer();
            }
#pragma omp barrier
        }
#pragma omp master
        goes_on = ++parts < kParts && account::read_clock(CLOCK_MONOTONIC) < last;
#pragma omp barrier
    }
    std::printf("{\"meetings\": %d}\n", parts * (kMeetingsOfAPart + 1));
}
