// Nothing is wrong: two threads with equal parts of several kinds of work, which meet now and then. pthreads.
#include "planted.h"

namespace {

constexpr int kThreads = 2;
constexpr int kSteps = 100;
pthread_barrier_t barrier;

[[gnu::noinline]] void compute() {
    const std::uint64_t sum = planted::work(8'000);
    planted::keep(&sum);
}

[[gnu::noinline]] void sort_values(std::vector<std::uint64_t>& values) {
    std::uint64_t x = 1;
    for (std::uint64_t& value : values) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        value = x >> 11U;
    }
    std::sort(values.begin(), values.end());
    planted::keep(values.data());
}

[[gnu::noinline]] void copy_values(const std::vector<std::uint64_t>& values, std::vector<std::uint64_t>& copy) {
    for (int i = 0; i < 20; ++i) {
        copy = values;
        planted::keep(copy.data());
    }
}

void* run(void* argument) {
    planted::name_thread("worker", static_cast<int>(reinterpret_cast<std::intptr_t>(argument)));
    std::vector<std::uint64_t> values(40'000);
    std::vector<std::uint64_t> copy = values;
    for (int step = 0; step < kSteps; ++step) {
        compute();
        sort_values(values);
        copy_values(values, copy);
        pthread_barrier_wait(&barrier);
    }
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    const planted::Program program(argc, argv, "nothing", __FILE__);
    pthread_barrier_init(&barrier, nullptr, kThreads);
    pthread_t workers[kThreads];
    for (std::intptr_t number = 0; number < kThreads; ++number) {
        pthread_create(&workers[number], nullptr, run, reinterpret_cast<void*>(number));
    }
    for (const pthread_t& worker : workers) {
        pthread_join(worker, nullptr);
    }
    return program.end();
}
