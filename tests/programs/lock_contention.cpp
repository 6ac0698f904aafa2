// Threads score items on their own and add the result to one table under one lock; adding takes longer than
// scoring. Fixed: every thread has a table and a lock of its own, and the tables are put together at the end. C++
// threads, std::mutex.
#include "planted.h"

#include <mutex>
#include <thread>

namespace {

constexpr int kThreads = 2;
constexpr int kItems = 10'000;

struct Table {
    std::mutex mutex;
    std::uint64_t sum = 1;
};
Table tables[kThreads];

constexpr int kMergeBegin = __LINE__;
[[gnu::noinline]] void merge(std::uint64_t& sum, std::uint64_t score) {
    sum = planted::work(80, sum + score);
}
constexpr int kMergeEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] std::uint64_t score(int item) {
    return planted::work(40, static_cast<std::uint64_t>(item));
}
constexpr int kDecoyEnd = __LINE__;

constexpr int kAddBegin = __LINE__;
[[gnu::noinline]] void add(planted::Program& program, Table& table, std::uint64_t score) {
    const std::int64_t begin = planted::now_ns();
    const std::lock_guard<std::mutex> guard(table.mutex);
    program.add_planted(planted::now_ns() - begin);
    merge(table.sum, score);
}
constexpr int kAddEnd = __LINE__;

void run(planted::Program& program, int number) {
    planted::name_thread("worker", number);
    Table& table = tables[program.is_bad() ? 0 : number];
    for (int item = 0; item < kItems; ++item) {
        add(program, table, score(item));
    }
}

}  // namespace

int main(int argc, char** argv) {
    planted::Program program(argc, argv, "lock-contention", __FILE__);
    std::vector<std::thread> threads;
    for (int number = 0; number < kThreads; ++number) {
        threads.emplace_back(run, std::ref(program), number);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return program.end({{"add", kAddBegin, kAddEnd}, {"merge", kMergeBegin, kMergeEnd}}, {"worker-0", "worker-1"},
                       {"score", kDecoyBegin, kDecoyEnd});
}
