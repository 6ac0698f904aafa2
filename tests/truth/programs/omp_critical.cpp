// Two threads of a team and what only one may have at a time: in each round thread 1 takes it and computes in it, and
// thread 0 asks for it meanwhile. First a critical section, then a lock. Prints what thread 0 waited and how long
// thread 1 computed in it meanwhile, by their own account and in nanoseconds, the threads' ids and the lines where it
// waits.
#include "account.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <omp.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int kRounds = 20;

omp_lock_t lock;
std::atomic<int> taken{0};
std::atomic<std::int64_t> asked{0};
std::array<long, 2> tids{};
std::int64_t held_critical = 0;
std::int64_t held_lock = 0;
std::int64_t waited_critical = 0;
std::int64_t waited_lock = 0;
int critical_line = 0;
int lock_line = 0;

[[gnu::noinline]] void work_in_critical(int microseconds) {
    account::microseconds(microseconds);
    asm volatile("");
}

[[gnu::noinline]] void work_under_lock(int microseconds) {
    account::microseconds(microseconds);
    asm volatile("# not the same code as the other");
}

void wait_until_taken(int round) {
    while (taken.load() != round) {
    }
}

[[gnu::noinline]] void ask_for_critical(int round) {
    wait_until_taken(round);
    const std::int64_t begin = account::read_clock(CLOCK_MONOTONIC);
    asked.store(begin);
    critical_line = __LINE__ + 1;
#pragma omp critical(shared)
    waited_critical += account::read_clock(CLOCK_MONOTONIC) - begin;
}

[[gnu::noinline]] void ask_for_lock(int round) {
    wait_until_taken(round);
    const std::int64_t begin = account::read_clock(CLOCK_MONOTONIC);
    asked.store(begin);
    lock_line = __LINE__ + 1;
    omp_set_lock(&lock);
    waited_lock += account::read_clock(CLOCK_MONOTONIC) - begin;
    omp_unset_lock(&lock);
}

void ask(bool by_lock, int round) {
    by_lock ? ask_for_lock(round) : ask_for_critical(round);
}

// A stretch in which a thread has it, and how long it computed then while the other had asked for it already; what
// others took of its time counts as before that.
class Stretch {
  public:
    std::int64_t asked_for() const {
        const std::int64_t now = account::read_clock(CLOCK_MONOTONIC);
        const std::int64_t computed = account::thread_time() - thread_begin_;
        const std::int64_t since = asked.load();
        return since < begin_ ? 0 : std::max(computed - (since - begin_), std::int64_t{0});
    }

  private:
    std::int64_t begin_ = account::read_clock(CLOCK_MONOTONIC);
    std::int64_t thread_begin_ = account::thread_time();
};

void keep(bool by_lock, int round, int length) {
    if (by_lock) {
        omp_set_lock(&lock);
        const Stretch stretch;
        taken.store(round);
        work_under_lock(length);
        held_lock += stretch.asked_for();
        omp_unset_lock(&lock);
        return;
    }
#pragma omp critical(shared)
    {
        const Stretch stretch;
        taken.store(round);
        work_in_critical(length);
        held_critical += stretch.asked_for();
    }
}

}  // namespace

int main() {
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        const int thread = omp_get_thread_num();
        tids[static_cast<std::size_t>(thread)] = syscall(SYS_gettid);
        account::Lengths lengths;
        for (int round = 1; round <= 2 * kRounds; ++round) {
            const int length = lengths.around(6'000);
            const bool by_lock = round > kRounds;
            thread == 0 ? ask(by_lock, round) : keep(by_lock, round, length);
#pragma omp barrier
        }
    }
    omp_destroy_lock(&lock);
    std::printf(
        "{\"critical\": %lld, \"lock\": %lld, \"critical_held\": %lld, \"lock_held\": %lld, \"waiter\": %ld, "
        "\"holder\": %ld, \"critical_line\": %d, "
        "\"lock_line\": %d, \"ready\": %lld}\n",
        static_cast<long long>(waited_critical), static_cast<long long>(waited_lock),
        static_cast<long long>(held_critical), static_cast<long long>(held_lock), tids[0], tids[1], critical_line,
        lock_line, static_cast<long long>(account::ready_time(tids[0]) + account::ready_time(tids[1])));
}
