// A loop of oneTBB's without a race: `value` is written before it starts and only read in it. The thread sanitizer
// reports one all the same, as the library in which the loop is handed to other threads is not built for it.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <thread>

namespace {

// Whether two threads took part; each index waits for that, ten seconds at most. Relaxed: nothing here may order
// anything.
bool read_on_two_threads(const int& value) {
    std::atomic<int> inside{0};
    std::atomic<int> sum{0};
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    tbb::parallel_for(
        0, 2,
        [&](int) {
            inside.fetch_add(1, std::memory_order_relaxed);
            while (inside.load(std::memory_order_relaxed) < 2 && std::chrono::steady_clock::now() < until) {
                std::this_thread::yield();
            }
            sum.fetch_add(value, std::memory_order_relaxed);
        },
        tbb::simple_partitioner());
    return inside.load() == 2 && sum.load() == 2 * value;
}

}  // namespace

int main() {
    const tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
    tbb::task_arena arena(2);
    int value = 0;
    int right = 0;
    // From the second loop on the workers exist already, and their creation orders nothing either.
    for (int round = 0; round < 20; ++round) {
        value = round;
        arena.execute([&] { right += read_on_two_threads(value) ? 1 : 0; });
    }
    std::printf("%d of 20 loops were right\n", right);
    return 0;
}
