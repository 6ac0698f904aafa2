// Threads that compute and wait in functions of known names, until standard input ends. Prints "ready" when all have
// begun, and at the end how often it was asked to compute, so that a change of what it does would show.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <poll.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

std::atomic<bool> is_ending{false};
std::mutex lock;
std::mutex signal_lock;
std::condition_variable signalled;
std::uint64_t signals = 0;
std::condition_variable ended;  // with signal_lock
int pipe_ends[2];

[[gnu::noinline]] std::uint64_t computes(std::uint64_t x) {
    for (int i = 0; i < 400'000; ++i) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        asm volatile("" : "+r"(x));
    }
    return x;
}

[[gnu::noinline]] std::uint64_t holds_the_lock(std::uint64_t x) {
    const std::lock_guard<std::mutex> guard(lock);
    return computes(x) + 1;
}

[[gnu::noinline]] void naps() {
    const timespec time{0, 3'000'000};
    nanosleep(&time, nullptr);
    asm volatile("");
}

[[gnu::noinline]] long reads_the_pipe() {
    char byte = 0;
    const long got = read(pipe_ends[0], &byte, 1);
    asm volatile("");
    return got;
}

[[gnu::noinline]] void waits_for_the_signal() {
    std::unique_lock<std::mutex> guard(signal_lock);
    const std::uint64_t seen = signals;
    signalled.wait(guard, [&] { return signals != seen || is_ending; });
    asm volatile("");
}

// Never wakes before.
[[gnu::noinline]] void waits_for_the_end() {
    std::unique_lock<std::mutex> guard(signal_lock);
    ended.wait(guard, [] { return is_ending.load(); });
    asm volatile("");
}

// Every 3 ms, until standard input ends.
[[gnu::noinline]] void leads() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (poll(&input, 1, 3) == 0) {
        const char byte = 1;
        if (write(pipe_ends[1], &byte, 1) != 1) {
            return;
        }
        const std::lock_guard<std::mutex> guard(signal_lock);
        ++signals;
        signalled.notify_all();
    }
}

}  // namespace

int main() {
    if (pipe(pipe_ends) != 0) {
        return 1;
    }
    std::atomic<int> begun{0};
    std::uint64_t sums[2] = {1, 1};
    std::vector<std::thread> threads;
    for (std::uint64_t& sum : sums) {
        threads.emplace_back([&] {
            ++begun;
            while (!is_ending) {
                sum = holds_the_lock(sum);
            }
        });
    }
    threads.emplace_back([&] {
        ++begun;
        while (!is_ending) {
            naps();
        }
    });
    threads.emplace_back([&] {
        ++begun;
        while (reads_the_pipe() == 1) {
        }
    });
    threads.emplace_back([&] {
        ++begun;
        while (!is_ending) {
            waits_for_the_signal();
        }
    });
    threads.emplace_back([&] {
        ++begun;
        waits_for_the_end();
    });
    while (begun != 6) {
        std::this_thread::yield();
    }
    std::puts("ready");
    std::fflush(stdout);
    leads();
    {
        const std::lock_guard<std::mutex> guard(signal_lock);
        is_ending = true;
    }
    signalled.notify_all();
    ended.notify_all();
    close(pipe_ends[1]);
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::puts(sums[0] != 0 && sums[1] != 0 ? "ended well" : "ended");
    return 7;
}
