// Threads in every state, with the kernel's own account of each: one sleeps, two compete for one processor, one reads
// from a pipe that is slowly filled, one works undisturbed.
#include "account.h"

#include <atomic>
#include <cstdio>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

struct Account {
    std::string name;
    std::int64_t wall = 0;
    std::int64_t on = 0;
    long voluntary = 0;  // switches since the thread began
    long involuntary = 0;
    long voluntary_before = 0;  // of them, before its work began
    long involuntary_before = 0;
};

// The kernel's figures over a thread's whole life, read last of all; and those from before its work.
template <typename Work>
void measured(Account& account, const Work& work) {
    pthread_setname_np(pthread_self(), account.name.c_str());
    const std::int64_t begin = account::read_clock(CLOCK_MONOTONIC);
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    account.voluntary_before = usage.ru_nvcsw;
    account.involuntary_before = usage.ru_nivcsw;
    work();
    getrusage(RUSAGE_THREAD, &usage);
    account.voluntary = usage.ru_nvcsw;
    account.involuntary = usage.ru_nivcsw;
    account.on = account::thread_time();
    account.wall = account::read_clock(CLOCK_MONOTONIC) - begin;
}

void pin(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

void spin(std::int64_t ns) {
    while (account::thread_time() < ns) {
        account::microseconds(50);
    }
}

void sleep_ms(long ms) {
    const timespec time{0, ms * 1'000'000};
    nanosleep(&time, nullptr);
}

}  // namespace

int main() {
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) {
        return 1;
    }
    std::vector<Account> accounts{{"sleeper"}, {"rival-a"}, {"rival-b"}, {"reader"}};
    std::atomic<int> ready{0};
    const auto compete = [&] {
        pin(0);
        ++ready;
        while (ready != 2) {
            sched_yield();
        }
        spin(600'000'000);
    };
    std::vector<std::thread> threads;
    threads.emplace_back([&] {
        measured(accounts[0], [] {
            for (int i = 0; i < 20; ++i) {
                sleep_ms(50);
            }
        });
    });
    threads.emplace_back([&] { measured(accounts[1], compete); });
    threads.emplace_back([&] { measured(accounts[2], compete); });
    threads.emplace_back([&] {
        measured(accounts[3], [&] {
            char byte = 0;
            while (read(pipe_ends[0], &byte, 1) == 1) {
            }
        });
    });
    // Its own account too: it is not delayed when the reader is.
    std::int64_t asleep = 0;
    for (int i = 0; i < 40; ++i) {
        const std::int64_t wall = account::read_clock(CLOCK_MONOTONIC);
        const std::int64_t on = account::thread_time();
        sleep_ms(25);
        asleep += account::read_clock(CLOCK_MONOTONIC) - wall - (account::thread_time() - on);
        if (write(pipe_ends[1], "x", 1) != 1) {
            return 1;
        }
    }
    close(pipe_ends[1]);
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::printf("{");
    for (const Account& each : accounts) {
        std::printf(
            "%s\"%s\": {\"wall\": %lld, \"on\": %lld, \"voluntary\": %ld, \"involuntary\": %ld, "
            "\"voluntary_before\": %ld, "
            "\"involuntary_before\": %ld}",
            &each == accounts.data() ? "" : ", ", each.name.c_str(), static_cast<long long>(each.wall),
            static_cast<long long>(each.on), each.voluntary, each.involuntary, each.voluntary_before,
            each.involuntary_before);
    }
    std::printf(", \"main_asleep\": %lld}\n", static_cast<long long>(asleep));
}
