// `select` counts the values above a bound. After `shuffle` they lie in no order and the processor mispredicts every
// other branch; after `arrange` they are parted and it is right almost always. The values are the same. Fixed:
// `shuffle` works on a copy of its own, so `select` is fast after both. pthreads.
#include "planted.h"

#include <numeric>

namespace {

constexpr int kThreads = 2;
constexpr int kSteps = 44;
constexpr std::size_t kValues = 160'000;
constexpr int kPasses = 16;
planted::Program* program = nullptr;

using Values = std::vector<std::uint32_t>;

constexpr int kShuffleBegin = __LINE__;
[[gnu::noinline]] void shuffle(Values& values, std::uint64_t seed) {
    for (std::size_t i = values.size() - 1; i > 0; --i) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        std::swap(values[i], values[(seed >> 33U) % (i + 1)]);
    }
    planted::keep(values.data());
}
constexpr int kShuffleEnd = __LINE__;

[[gnu::noinline]] void arrange(Values& values) {
    std::partition(values.begin(), values.end(), [](std::uint32_t value) { return value < kValues / 2; });
    planted::keep(values.data());
}

constexpr int kSelectBegin = __LINE__;
[[gnu::noinline]] void select(const Values& values) {
    std::uint64_t sum = 0;
    for (int pass = 0; pass < kPasses; ++pass) {
        for (const std::uint32_t value : values) {
            if (value >= kValues / 2) {
                sum += value;
                asm volatile("" : "+r"(sum));  // a real branch, no conditional move
            }
        }
    }
    planted::keep(&sum);
}
constexpr int kSelectEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void report() {
    const std::uint64_t sum = planted::work(4'000);
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

void* run(void* argument) {
    planted::name_thread("worker", static_cast<int>(reinterpret_cast<std::intptr_t>(argument)));
    Values values(kValues);
    std::iota(values.begin(), values.end(), 0U);
    Values copy = values;
    for (int step = 0; step < kSteps; ++step) {
        shuffle(program->is_bad() ? values : copy, static_cast<std::uint64_t>(step));
        select(values);
        report();
        arrange(values);
        select(values);
        report();
    }
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    planted::Program here(argc, argv, "slow-neighbour", __FILE__);
    program = &here;
    pthread_t workers[kThreads];
    for (std::intptr_t number = 0; number < kThreads; ++number) {
        pthread_create(&workers[number], nullptr, run, reinterpret_cast<void*>(number));
    }
    for (const pthread_t& worker : workers) {
        pthread_join(worker, nullptr);
    }
    return here.end({{"select", kSelectBegin, kSelectEnd}, {"shuffle", kShuffleBegin, kShuffleEnd}},
                    {"worker-0", "worker-1"}, {"report", kDecoyBegin, kDecoyEnd});
}
