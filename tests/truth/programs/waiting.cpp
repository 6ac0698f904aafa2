// A thread that computes and sleeps in turn, and one that waits for it throughout. Prints what the first really spent
// on and off its processor, and what the second waited, in nanoseconds.
#include "account.h"

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace {

std::mutex lock;
std::condition_variable finished;
bool done = false;

}  // namespace

int main() {
    std::int64_t on = 0;
    std::int64_t off = 0;
    std::thread busy([&] {
        pthread_setname_np(pthread_self(), "busy");
        account::Lengths lengths;
        const std::int64_t wall = account::read_clock(CLOCK_MONOTONIC);
        const std::int64_t processor = account::thread_time();
        for (int i = 0; i < 100; ++i) {
            account::microseconds(lengths.around(15'000));
            usleep(static_cast<useconds_t>(lengths.around(10'000)));
        }
        on = account::thread_time() - processor;
        off = account::read_clock(CLOCK_MONOTONIC) - wall - on;
        const std::lock_guard hold(lock);
        done = true;
        finished.notify_all();
    });
    const std::int64_t wall = account::read_clock(CLOCK_MONOTONIC);
    std::unique_lock hold(lock);
    finished.wait(hold, [] { return done; });
    const std::int64_t waited = account::read_clock(CLOCK_MONOTONIC) - wall;
    hold.unlock();
    busy.join();
    std::printf("{\"on\": %lld, \"off\": %lld, \"waited\": %lld}\n", static_cast<long long>(on),
                static_cast<long long>(off), static_cast<long long>(waited));
}
