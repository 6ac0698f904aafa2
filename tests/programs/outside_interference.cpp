// Nothing is wrong with this program: both versions are the same. Beside the bad one the harness starts others, which
// are no part of the recording and take its processors away (planted.py). pthreads.
#include "planted.h"

namespace {

constexpr int kSteps = 320;

constexpr int kStepBegin = __LINE__;
[[gnu::noinline]] void step_cells() {
    const std::uint64_t sum = planted::work(4'000);
    planted::keep(&sum);
}
constexpr int kStepEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void exchange() {
    const std::uint64_t sum = planted::work(1'000);
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

void* run(void* argument) {
    planted::name_thread("worker", static_cast<int>(reinterpret_cast<std::intptr_t>(argument)));
    for (int step = 0; step < kSteps; ++step) {
        step_cells();
        exchange();
    }
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    planted::Program here(argc, argv, "outside-interference", __FILE__);
    pthread_t workers[2];
    for (std::intptr_t number = 0; number < 2; ++number) {
        pthread_create(&workers[number], nullptr, run, reinterpret_cast<void*>(number));
    }
    for (const pthread_t& worker : workers) {
        pthread_join(worker, nullptr);
    }
    // The place is a time, not code: any will do.
    return here.end({}, {}, {"exchange", kDecoyBegin, kDecoyEnd});
}
