// A triangular loop with a static schedule, and serial work between its rounds: thread t has work in proportion to
// its rows, and the others wait for the last. Prints, as measured by the program itself and in nanoseconds, what each
// thread worked in the loops, how long it waited for their ends, and how long it was idle before they began; then the
// lines of it all.
//
// The thread that opens the region waits until it is back from it, any other until the last one's work is done: then
// it is idle.
#include "account.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <omp.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int kThreads = 2;
constexpr int kRounds = 25;
constexpr int kRows = 20;

std::array<std::int64_t, kThreads> computed{};  // of processor time
std::array<std::int64_t, kThreads> waited{};
std::array<std::int64_t, kThreads> idle{};
std::array<std::int64_t, kThreads> done{};
std::array<long, kThreads> tids{};
std::int64_t last_done = 0;
int loop_line = 0;
int serial_line = 0;

[[gnu::noinline]] void row(int length) {
    account::microseconds(40 * length);
    asm volatile("");
}

[[gnu::noinline]] void serial_part() {
    serial_line = __LINE__ + 1;
    account::microseconds(3'000);
    asm volatile("");
}

[[gnu::noinline]] void triangle() {
    loop_line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads)
    {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        const std::int64_t begin = account::read_clock(CLOCK_MONOTONIC);
        const std::int64_t used = account::thread_time();
        idle[thread] += begin - last_done;
#pragma omp for schedule(static) nowait
        for (int i = 0; i < kRows; ++i) {
            row(i);
        }
        computed[thread] += account::thread_time() - used;
        done[thread] = account::read_clock(CLOCK_MONOTONIC);  // last: system calls are where others get the processor
    }
    const std::int64_t back = account::read_clock(CLOCK_MONOTONIC);
    last_done = *std::max_element(done.begin(), done.end());
    waited[0] += back - done[0];
    for (std::size_t thread = 1; thread < kThreads; ++thread) {
        waited[thread] += last_done - done[thread];
    }
}

}  // namespace

int main() {
#pragma omp parallel num_threads(kThreads)
    {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        tids[thread] = syscall(SYS_gettid);
        done[thread] = account::read_clock(CLOCK_MONOTONIC);
    }
    last_done = *std::max_element(done.begin(), done.end());
    for (int round = 0; round < kRounds; ++round) {
        serial_part();
        triangle();
    }
    std::int64_t ready = 0;
    for (const long tid : tids) {
        ready += account::ready_time(tid);
    }
    std::printf("{\"threads\": [");
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
        std::printf("%s{\"tid\": %ld, \"computed\": %lld, \"waited\": %lld, \"idle\": %lld}", thread == 0 ? "" : ", ",
                    tids[thread], static_cast<long long>(computed[thread]), static_cast<long long>(waited[thread]),
                    static_cast<long long>(idle[thread]));
    }
    std::printf("], \"loop_line\": %d, \"serial_line\": %d, \"ready\": %lld}\n", loop_line, serial_line,
                static_cast<long long>(ready));
}
