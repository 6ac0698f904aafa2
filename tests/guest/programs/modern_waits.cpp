// C++20's waits: latches, barriers, semaphores, atomics that are waited for, threads that are asked to stop.
#include "../burn.h"

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>

int main() {
    constexpr int kThreads = 4;
    std::latch begin(kThreads);
    std::barrier each(kThreads);
    std::counting_semaphore<2> few(2);
    std::atomic<int> turn{0};
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::atomic<long> sum{0};
    {
        std::vector<std::jthread> threads;
        for (int number = 0; number < kThreads; ++number) {
            threads.emplace_back([&, number] {
                begin.arrive_and_wait();
                for (int round = 0; round < 10; ++round) {
                    few.acquire();
                    const int now = ++inside;
                    int seen = most.load();
                    while (seen < now && !most.compare_exchange_weak(seen, now)) {
                    }
                    burn(2);
                    --inside;
                    few.release();
                    each.arrive_and_wait();
                }
                for (int now = turn.load(); now != number; now = turn.load()) {
                    turn.wait(now);
                }
                burn(10);
                sum += number;
                ++turn;
                turn.notify_all();
            });
        }
    }
    std::mutex mutex;
    std::condition_variable_any condition;
    bool told = true;
    std::jthread stopped([&](const std::stop_token& token) {
        std::unique_lock lock(mutex);
        told = condition.wait(lock, token, [] { return false; });
    });
    burn(30);
    stopped.request_stop();
    stopped.join();
    std::printf("sum %ld, at most %d, told %d\n", sum.load(), most.load() <= 2 ? 2 : most.load(), told);
    return 0;
}
