// A thread that waits for another's initialiser (pthread_once, call_once), and one that waits by the futex system
// call: for a word that another sets, and for a lock with priority inheritance that another holds. Prints what the
// waiter waited by its own account, in nanoseconds.
#include "account.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

namespace {

constexpr int kRounds = 10;

sem_t begun;
int once_line = 0;
int futex_line = 0;
std::int64_t once_waited = 0;
std::int64_t call_once_waited = 0;
std::int64_t futex_waited = 0;
std::int64_t lock_waited = 0;
account::Preempted preempted;
pthread_once_t once_flags[kRounds];
once_flag call_once_flags[kRounds];
std::atomic<int> word{0};
std::atomic<int> lock_word{0};

[[gnu::noinline]] void initialise() {
    sem_post(&begun);
    account::microseconds(20'000);
    asm volatile("");
}

[[gnu::noinline]] void wait_for_once(int round) {
    preempted.begin();
    const std::int64_t begin = account::read_clock(CLOCK_MONOTONIC);
    once_line = __LINE__ + 1;
    pthread_once(&once_flags[round], initialise);
    once_waited += account::read_clock(CLOCK_MONOTONIC) - begin;
    preempted.end();
}

[[gnu::noinline]] void wait_for_call_once(int round) {
    preempted.begin();
    const std::int64_t begin = account::read_clock(CLOCK_MONOTONIC);
    call_once(&call_once_flags[round], initialise);
    call_once_waited += account::read_clock(CLOCK_MONOTONIC) - begin;
    preempted.end();
}

long futex(std::atomic<int>& at, int operation, int value) {
    return syscall(SYS_futex, &at, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, -1);
}

[[gnu::noinline]] void wait_for_word(int round) {
    preempted.begin();
    const std::int64_t begin = account::read_clock(CLOCK_MONOTONIC);
    while (word != round + 1) {
        futex_line = __LINE__ + 1;
        syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, round, nullptr, nullptr, -1);
    }
    futex_waited += account::read_clock(CLOCK_MONOTONIC) - begin;
    preempted.end();
}

[[gnu::noinline]] void wait_for_lock() {
    preempted.begin();
    const std::int64_t begin = account::read_clock(CLOCK_MONOTONIC);
    futex(lock_word, FUTEX_LOCK_PI, 0);
    lock_waited += account::read_clock(CLOCK_MONOTONIC) - begin;
    preempted.end();
    futex(lock_word, FUTEX_UNLOCK_PI, 0);
}

void* keep(void*) {
    pthread_setname_np(pthread_self(), "keeper");
    for (int round = 0; round < kRounds; ++round) {
        pthread_once(&once_flags[round], initialise);
        call_once(&call_once_flags[round], initialise);
        sem_post(&begun);
        account::microseconds(20'000);
        word = round + 1;
        futex(word, FUTEX_WAKE, 1);
        futex(lock_word, FUTEX_LOCK_PI, 0);
        sem_post(&begun);
        account::microseconds(20'000);
        futex(lock_word, FUTEX_UNLOCK_PI, 0);
    }
    return nullptr;
}

void* wait(void*) {
    pthread_setname_np(pthread_self(), "waiter");
    for (int round = 0; round < kRounds; ++round) {
        sem_wait(&begun);
        wait_for_once(round);
        sem_wait(&begun);
        wait_for_call_once(round);
        sem_wait(&begun);
        wait_for_word(round);
        sem_wait(&begun);
        wait_for_lock();
    }
    return nullptr;
}

}  // namespace

int main() {
    sem_init(&begun, 0, 0);
    pthread_t threads[2];
    pthread_create(&threads[0], nullptr, keep, nullptr);
    pthread_create(&threads[1], nullptr, wait, nullptr);
    for (const pthread_t thread : threads) {
        pthread_join(thread, nullptr);
    }
    std::printf(
        "{\"once\": %lld, \"call_once\": %lld, \"futex\": %lld, \"lock\": %lld, \"rounds\": %d, \"preempted\": %lld, "
        "\"once_line\": %d, "
        "\"futex_line\": %d, \"word\": %llu, \"lock_word\": %llu}\n",
        static_cast<long long>(once_waited), static_cast<long long>(call_once_waited),
        static_cast<long long>(futex_waited), static_cast<long long>(lock_waited), kRounds,
        static_cast<long long>(preempted.ns()), once_line, futex_line,
        static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(&word)),
        static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(&lock_word)));
}
