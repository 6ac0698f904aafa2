// Known call paths: leaf is reached as main -> alpha -> beta -> leaf (60 %) and as main -> gamma -> leaf (15 %), and
// in two threads that main -> start_workers makes, as worker -> leaf (25 % together). Prints what each path really
// took, in nanoseconds.
#include "account.h"

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

[[gnu::noinline]] std::int64_t leaf(int length) {
    const std::int64_t begin = account::thread_time();
    account::microseconds(length);
    return account::thread_time() - begin;
}

// Work after a call keeps the call from becoming a jump, which would leave no frame.
std::int64_t keep(std::int64_t value) {
    asm volatile("" : "+r"(value));
    return value;
}

[[gnu::noinline]] std::int64_t beta(int length) {
    return keep(leaf(length)) + 1;
}

[[gnu::noinline]] std::int64_t alpha(int length) {
    return keep(beta(length)) + 2;
}

[[gnu::noinline]] std::int64_t gamma_path(int length) {
    return keep(leaf(length)) + 3;  // not as the others, or they would be folded into one
}

std::atomic<std::int64_t> workers_took = 0;

[[gnu::noinline]] void worker(std::int64_t budget) {
    account::Lengths lengths;
    std::int64_t took = 0;
    while (took < budget) {
        took += keep(leaf(lengths.around(1000)));
    }
    workers_took += took;
}

[[gnu::noinline]] void start_workers(std::vector<std::thread>& threads, std::int64_t budget) {
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back(worker, budget / 2);
    }
}

}  // namespace

int main() {
    account::Lengths lengths;
    std::int64_t by_alpha = 0;
    std::int64_t by_gamma = 0;
    while (by_alpha < 1'800'000'000) {
        const int length = lengths.around(250);
        by_alpha += alpha(4 * length);
        by_gamma += gamma_path(length);
    }
    std::vector<std::thread> threads;
    start_workers(threads, 750'000'000);
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::printf("{\"alpha\": %lld, \"gamma\": %lld, \"workers\": %lld}\n", static_cast<long long>(by_alpha),
                static_cast<long long>(by_gamma), static_cast<long long>(workers_took.load()));
}
