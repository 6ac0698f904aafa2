// A step of about a hundred microseconds, shared out to many times more threads than there are processors. After
// every step all of them meet, so most of a step is switching from one to the next. Fixed: as many threads as
// processors. pthreads.
#include "planted.h"

#include <thread>

namespace {

constexpr int kSteps = 6'000;
constexpr int kUnits = 160;  // microseconds of work in a step, all threads together

int threads = 0;
pthread_barrier_t barrier;

constexpr int kAdvanceBegin = __LINE__;
[[gnu::noinline]] void advance(int units) {
    const std::uint64_t sum = planted::work(units);
    planted::keep(&sum);
}
constexpr int kAdvanceEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void prepare() {
    const std::uint64_t sum = planted::work(500'000 / threads);
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

constexpr int kRunBegin = __LINE__;
void* run(void* number) {
    planted::name_thread("worker", static_cast<int>(reinterpret_cast<std::intptr_t>(number)));
    prepare();
    for (int step = 0; step < kSteps; ++step) {
        advance(kUnits / threads);
        pthread_barrier_wait(&barrier);
    }
    return nullptr;
}
constexpr int kRunEnd = __LINE__;

}  // namespace

int main(int argc, char** argv) {
    planted::Program program(argc, argv, "oversubscription", __FILE__);
    const int processors = static_cast<int>(planted::processors().size());
    threads = program.is_bad() ? 24 * processors : processors;
    pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(threads));
    std::vector<pthread_t> handles(static_cast<std::size_t>(threads));
    for (std::intptr_t number = 0; number < threads; ++number) {
        pthread_create(&handles[static_cast<std::size_t>(number)], nullptr, run, reinterpret_cast<void*>(number));
    }
    for (const pthread_t& handle : handles) {
        pthread_join(handle, nullptr);
    }
    // The program as a whole: whatever its workers do is a right place.
    return program.end({{"run", kRunBegin, kRunEnd}, {"advance", kAdvanceBegin, kAdvanceEnd}}, {},
                       {"prepare", kDecoyBegin, kDecoyEnd});
}
