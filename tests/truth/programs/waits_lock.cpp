// A thread that keeps a mutex for known times, computing under it or sleeping under it, and one that waits for it.
// Both keep their own account, in nanoseconds; lines are where they wait and where the keeper is meanwhile.
#include "account.h"

#include <cstdio>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

namespace {

constexpr int kRounds = 40;

pthread_mutex_t busy_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t idle_mutex = PTHREAD_MUTEX_INITIALIZER;
sem_t is_kept;
sem_t is_over;

int compute_line = 0;
int sleep_line = 0;
std::int64_t keeper_ready = 0;

[[gnu::noinline]] void compute_under_lock(int microseconds) {
    compute_line = __LINE__ + 1;
    account::microseconds(microseconds);
    asm volatile("");
}

[[gnu::noinline]] void sleep_under_lock(int microseconds) {
    sleep_line = __LINE__ + 1;
    usleep(static_cast<useconds_t>(microseconds));
    asm volatile("");
}

void* keep(void*) {
    pthread_setname_np(pthread_self(), "keeper");
    account::Lengths lengths;
    for (int round = 0; round < kRounds; ++round) {
        pthread_mutex_lock(&busy_mutex);
        sem_post(&is_kept);
        compute_under_lock(lengths.around(12'000));
        pthread_mutex_unlock(&busy_mutex);
        sem_wait(&is_over);
        pthread_mutex_lock(&idle_mutex);
        sem_post(&is_kept);
        sleep_under_lock(lengths.around(12'000));
        pthread_mutex_unlock(&idle_mutex);
        sem_wait(&is_over);
    }
    keeper_ready = account::ready_time();
    return nullptr;
}

struct Account {
    std::int64_t busy = 0;
    std::int64_t idle = 0;
    int busy_line = 0;
    int idle_line = 0;
    account::Preempted preempted;
};

[[gnu::noinline]] void wait_for_keeper(Account& account) {
    sem_wait(&is_kept);
    account.preempted.begin();
    std::int64_t begin = account::read_clock(CLOCK_MONOTONIC);
    account.busy_line = __LINE__ + 1;
    pthread_mutex_lock(&busy_mutex);
    account.busy += account::read_clock(CLOCK_MONOTONIC) - begin;
    account.preempted.end();
    pthread_mutex_unlock(&busy_mutex);
    sem_post(&is_over);
    sem_wait(&is_kept);
    account.preempted.begin();
    begin = account::read_clock(CLOCK_MONOTONIC);
    account.idle_line = __LINE__ + 1;
    pthread_mutex_lock(&idle_mutex);
    account.idle += account::read_clock(CLOCK_MONOTONIC) - begin;
    account.preempted.end();
    pthread_mutex_unlock(&idle_mutex);
    sem_post(&is_over);
}

}  // namespace

int main() {
    sem_init(&is_kept, 0, 0);
    sem_init(&is_over, 0, 0);
    pthread_setname_np(pthread_self(), "waiter");
    pthread_t keeper{};
    pthread_create(&keeper, nullptr, keep, nullptr);
    Account account;
    for (int round = 0; round < kRounds; ++round) {
        wait_for_keeper(account);
    }
    pthread_join(keeper, nullptr);
    std::printf(
        "{\"rounds\": %d, \"busy\": %lld, \"idle\": %lld, \"busy_line\": %d, \"idle_line\": %d, "
        "\"compute_line\": %d, \"sleep_line\": %d, \"ready\": %lld, \"preempted\": %lld, \"busy_mutex\": %llu, "
        "\"idle_mutex\": %llu}\n",
        kRounds, static_cast<long long>(account.busy), static_cast<long long>(account.idle), account.busy_line,
        account.idle_line, compute_line, sleep_line, static_cast<long long>(account::ready_time() + keeper_ready),
        static_cast<long long>(account.preempted.ns()),
        static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(&busy_mutex)),
        static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(&idle_mutex)));
}
