// The same in C++: counters and timers as values, scopes, an exception that leaves one.
#include <cstdio>
#include <kymo/metrics.hpp>
#include <kymo/monitor.h>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

const kymo::Counter rounds("rounds");
const kymo::Gauge inside("inside");
const kymo::Counter thrown(5);
const kymo::Timer timer(1, "in_foo");
const kymo::Maximum largest("largest", "bytes");

void foo(int i) {
    const kymo::Counted here(inside);
    const kymo::Timed time(timer, inside.get() > 0);
    largest.raise(static_cast<std::uint64_t>(i));
    if (i % 100 == 0) {
        throw std::runtime_error("every hundredth");
    }
}

void work() {
    for (int i = 0; i < 1000; ++i) {
        rounds.add();
        try {
            foo(i);
        } catch (const std::exception&) {
            thrown.add();
        }
    }
}

}  // namespace

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back(work);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::puts(kymo_is_counting() != 0 ? "counting" : "not counting");
    return inside.get() == 0 ? 0 : 1;
}
