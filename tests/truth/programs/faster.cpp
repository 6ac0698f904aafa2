// Work whose virtual speed-up has a known answer: faster KIND MILLISECONDS. Everything is a number of rounds of the
// same loop, measured once at the start, so that a thread that is paused has as much left as before.
//   alone     one thread: half() has four tenths of the time, other() the rest. half() free: 40 % shorter.
//   pair      two threads, joined: first() works for all of it, second() for 0.8. first() free: 20 % shorter;
//   second()
//             free: nothing.
//   phases    the same at 20 barriers
//   handed    three threads hand a token on: first() three tenths, second() five, and others two. Each is worth its
//             share.
//   lock      two threads, each round first() under one lock and then second() for a quarter of that: the lock is
//   held all
//             the time. first() free: the run is what second() takes; second() free: nothing.
//   pipeline  first() fills a queue, second() takes it out and needs twice as long. second() free: the run is half as
//             long; first() free: nothing.
//   sleeps    first() for half of the time, then it sleeps for the other half. first() free: 50 % shorter.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

__attribute__((noinline)) std::uint64_t spin(std::uint64_t rounds) {
    std::uint64_t x = 1;
    for (std::uint64_t i = 0; i < rounds; ++i) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

// The comment keeps the compiler from making one function of them.
#define WORK(NAME)                                              \
    __attribute__((noinline)) void NAME(std::uint64_t rounds) { \
        spin(rounds);                                           \
        __asm__ volatile("# " #NAME ::: "memory");              \
    }
WORK(half)
WORK(other)
WORK(first)
WORK(second)

// Rounds in a millisecond. The best of several, since others may have the processor. KYMO_ROUNDS: given, so that runs
// are of equal work.
std::uint64_t rounds_of_millisecond() {
    if (const char* given = std::getenv("KYMO_ROUNDS"); given != nullptr) {
        return std::strtoull(given, nullptr, 10);
    }
    constexpr std::uint64_t kRounds = 400'000;
    double best = 1e9;
    for (int i = 0; i < 10; ++i) {
        const auto begin = Clock::now();
        spin(kRounds);
        const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
        best = took.count() < best ? took.count() : best;
    }
    return static_cast<std::uint64_t>(kRounds / best);
}

void alone(std::uint64_t all) {
    for (int i = 0; i < 50; ++i) {
        half(all * 4 / 10 / 50);
        other(all * 6 / 10 / 50);
    }
}

void pair(std::uint64_t all) {
    std::thread one([=] { first(all); });
    std::thread two([=] { second(all * 8 / 10); });
    one.join();
    two.join();
}

void phases(std::uint64_t all) {
    constexpr int kPhases = 20;
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, 2);
    std::thread one([&] {
        for (int i = 0; i < kPhases; ++i) {
            first(all / kPhases);
            pthread_barrier_wait(&barrier);
        }
    });
    std::thread two([&] {
        for (int i = 0; i < kPhases; ++i) {
            second(all * 8 / 10 / kPhases);
            pthread_barrier_wait(&barrier);
        }
    });
    one.join();
    two.join();
}

void handed(std::uint64_t all) {
    constexpr int kRounds = 20;
    std::mutex mutex;
    std::condition_variable moved;
    int turn = 0;
    const auto take_part = [&](int number, void (*work)(std::uint64_t), std::uint64_t rounds) {
        for (int i = 0; i < kRounds; ++i) {
            std::unique_lock<std::mutex> lock(mutex);
            moved.wait(lock, [&] { return turn % 3 == number; });
            lock.unlock();
            work(rounds / kRounds);
            lock.lock();
            ++turn;
            moved.notify_all();
        }
    };
    std::thread one([&] { take_part(0, first, all * 3 / 10); });
    std::thread two([&] { take_part(1, second, all * 5 / 10); });
    std::thread three([&] { take_part(2, other, all * 2 / 10); });
    one.join();
    two.join();
    three.join();
}

void lock(std::uint64_t all) {
    constexpr int kRounds = 40;  // of each thread
    std::mutex mutex;
    const auto work = [&] {
        for (int i = 0; i < kRounds; ++i) {
            {
                const std::lock_guard<std::mutex> held(mutex);
                first(all / (2 * kRounds));
            }
            second(all / (2 * kRounds) / 4);
        }
    };
    std::thread one(work);
    std::thread two(work);
    one.join();
    two.join();
}

void pipeline(std::uint64_t all) {
    constexpr int kItems = 50;
    constexpr int kRoom = 2;
    std::mutex mutex;
    std::condition_variable moved;
    int filled = 0;
    std::thread one([&] {
        for (int i = 0; i < kItems; ++i) {
            first(all / kItems / 2);
            std::unique_lock<std::mutex> held(mutex);
            moved.wait(held, [&] { return filled < kRoom; });
            ++filled;
            moved.notify_all();
        }
    });
    std::thread two([&] {
        for (int i = 0; i < kItems; ++i) {
            {
                std::unique_lock<std::mutex> held(mutex);
                moved.wait(held, [&] { return filled > 0; });
                --filled;
                moved.notify_all();
            }
            second(all / kItems);
        }
    });
    one.join();
    two.join();
}

void sleeps(std::uint64_t all, long milliseconds) {
    first(all / 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds / 2));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: faster KIND MILLISECONDS\n");
        return 2;
    }
    const char* const kind = argv[1];
    const long milliseconds = std::atol(argv[2]);
    const std::uint64_t all = rounds_of_millisecond() * static_cast<std::uint64_t>(milliseconds);
    const auto is = [&](const char* name) { return std::strcmp(kind, name) == 0; };
    if (is("alone")) {
        alone(all);
    } else if (is("pair")) {
        pair(all);
    } else if (is("phases")) {
        phases(all);
    } else if (is("handed")) {
        handed(all);
    } else if (is("lock")) {
        lock(all);
    } else if (is("pipeline")) {
        pipeline(all);
    } else if (is("sleeps")) {
        sleeps(all, milliseconds);
    } else {
        return 2;
    }
    std::printf("%s: done\n", kind);
    return 0;
}
