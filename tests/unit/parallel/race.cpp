// Bodies that race: both indices write one word, and nothing orders them. The thread sanitizer must say so.
#include "parallel/loops.h"

#include <atomic>
#include <cstdio>
#include <tbb/task_arena.h>
#include <thread>

int main() {
    tbb::task_arena arena(2);
    int sum = 0;
    arena.execute([&] {
        std::atomic<int> inside{0};
        kymo::parallel::for_each_index(2, [&](int) {
            inside.fetch_add(1, std::memory_order_relaxed);
            while (inside.load(std::memory_order_relaxed) < 2) {
                std::this_thread::yield();
            }
            ++sum;
        });
    });
    std::printf("sum %d\n", sum);
    return 0;
}
