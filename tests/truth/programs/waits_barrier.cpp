// Three threads that meet at a barrier again and again; "slow" has four times the work. Prints what each waited at
// the barrier for another thread by its own account, in nanoseconds, and what all of them spent in it as the last to
// come, who wait for nobody: nothing, but for where the processor was taken from them there.
#include "account.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <pthread.h>

namespace {

constexpr int kThreads = 3;
constexpr int kSteps = 40;
constexpr std::array<const char*, kThreads> kNames = {"quick-a", "quick-b", "slow"};

pthread_barrier_t barrier;
std::atomic<int> arrivals{0};  // of all rounds: no round has its first before the one before had its last
std::array<std::int64_t, kThreads> waited{};
std::array<std::int64_t, kThreads> waited_last{};
std::array<account::Preempted, kThreads> preempted;
int wait_line = 0;
int work_line = 0;

[[gnu::noinline]] void slow_work(int microseconds) {
    work_line = __LINE__ + 1;
    account::microseconds(microseconds);
    asm volatile("");
}

[[gnu::noinline]] void quick_work(int microseconds) {
    account::microseconds(microseconds);
    asm volatile("");
}

[[gnu::noinline]] void step(std::size_t number, int length) {
    number == 2 ? slow_work(4 * length) : quick_work(length);
    preempted[number].begin();
    const std::int64_t begin = account::read_clock(CLOCK_MONOTONIC);
    if (number == 0) {
        wait_line = __LINE__ + 3;
    }
    const bool is_last = arrivals.fetch_add(1) % kThreads == kThreads - 1;
    pthread_barrier_wait(&barrier);
    (is_last ? waited_last : waited)[number] += account::read_clock(CLOCK_MONOTONIC) - begin;
    preempted[number].end();
}

void* work(void* given) {
    const auto number = reinterpret_cast<std::size_t>(given);
    pthread_setname_np(pthread_self(), kNames[number]);
    account::Lengths lengths;
    for (int i = 0; i < kSteps; ++i) {
        step(number, lengths.around(4'000));
    }
    return nullptr;
}

}  // namespace

int main() {
    pthread_barrier_init(&barrier, nullptr, kThreads);
    std::array<pthread_t, kThreads> threads{};
    for (std::size_t i = 0; i < kThreads; ++i) {
        pthread_create(&threads[i], nullptr, work, reinterpret_cast<void*>(i));
    }
    for (const pthread_t thread : threads) {
        pthread_join(thread, nullptr);
    }
    std::printf(
        "{\"quick-a\": %lld, \"quick-b\": %lld, \"slow\": %lld, \"last\": %lld, \"steps\": %d, \"preempted\": %lld, "
        "\"wait_line\": %d, \"work_line\": %d}\n",
        static_cast<long long>(waited[0]), static_cast<long long>(waited[1]), static_cast<long long>(waited[2]),
        static_cast<long long>(waited_last[0] + waited_last[1] + waited_last[2]), kSteps,
        static_cast<long long>(preempted[0].ns() + preempted[1].ns() + preempted[2].ns()), wait_line, work_line);
}
