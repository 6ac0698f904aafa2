// A worker makes objects, and every tenth step it stops to look through all that were ever made. Fixed: it only
// looks through those made since the last time. Both workers meet after each step. pthreads.
#include "planted.h"

namespace {

constexpr int kThreads = 2;
constexpr int kSteps = 160;
constexpr int kEvery = 10;
constexpr std::size_t kObjects = std::size_t{4} << 20U;
planted::Program* program = nullptr;
pthread_barrier_t barrier;

struct Heap {
    std::vector<std::uint32_t> next = std::vector<std::uint32_t>(kObjects);
    Heap() {
        for (std::size_t i = 0; i < kObjects; ++i) {
            next[i] = static_cast<std::uint32_t>((i * 7 + 1) % kObjects);
        }
    }
};

constexpr int kSweepBegin = __LINE__;
[[gnu::noinline]] void sweep(Heap& heap, std::size_t objects) {
    std::uint64_t live = 0;
    for (std::size_t i = 0; i < objects; ++i) {
        live = (live ^ heap.next[i]) * 0x9E3779B97F4A7C15ULL;
        live ^= live >> 31U;
        live *= 0xBF58476D1CE4E5B9ULL;
        live ^= live >> 29U;
        live *= 0x94D049BB133111EBULL;
        live ^= live >> 32U;
    }
    planted::keep(&live);
}
constexpr int kSweepEnd = __LINE__;

constexpr int kCollectBegin = __LINE__;
[[gnu::noinline]] void collect(Heap& heap, int step) {
    if (step % kEvery == kEvery - 1) {
        sweep(heap, program->is_bad() ? kObjects : kObjects / 64);
    }
}
constexpr int kCollectEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void mutate() {
    const std::uint64_t sum = planted::work(8'000);
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

void* run(void* argument) {
    const auto number = reinterpret_cast<std::intptr_t>(argument);
    planted::name_thread("worker", static_cast<int>(number));
    Heap heap;
    pthread_barrier_wait(&barrier);
    for (int step = 0; step < kSteps; ++step) {
        mutate();
        collect(heap, step);
        pthread_barrier_wait(&barrier);
    }
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    planted::Program here(argc, argv, "periodic-pause", __FILE__);
    program = &here;
    pthread_barrier_init(&barrier, nullptr, kThreads);
    pthread_t workers[kThreads];
    for (std::intptr_t number = 0; number < kThreads; ++number) {
        pthread_create(&workers[number], nullptr, run, reinterpret_cast<void*>(number));
    }
    for (const pthread_t& worker : workers) {
        pthread_join(worker, nullptr);
    }
    return here.end({{"sweep", kSweepBegin, kSweepEnd}, {"collect", kCollectBegin, kCollectEnd}},
                    {"worker-0", "worker-1"}, {"mutate", kDecoyBegin, kDecoyEnd});
}
