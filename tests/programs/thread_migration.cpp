// Two workers that an affinity mask holds on one processor while another has nothing to do. Fixed: each has its own
// processor. pthreads.
#include "planted.h"

namespace {

constexpr int kSteps = 320;
planted::Program* program = nullptr;
std::vector<int> processors;

constexpr int kSolveBegin = __LINE__;
[[gnu::noinline]] void solve() {
    const std::uint64_t sum = planted::work(2'500);
    planted::keep(&sum);
}
constexpr int kSolveEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void prepare() {
    const std::uint64_t sum = planted::work(1'000);
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

constexpr int kRunBegin = __LINE__;
void* run(void* argument) {
    const auto number = reinterpret_cast<std::intptr_t>(argument);
    planted::name_thread("worker", static_cast<int>(number));
    planted::pin_to(processors[program->is_bad() ? 0 : static_cast<std::size_t>(number) % processors.size()]);
    for (int step = 0; step < kSteps; ++step) {
        solve();
        prepare();
    }
    return nullptr;
}
constexpr int kRunEnd = __LINE__;

}  // namespace

int main(int argc, char** argv) {
    planted::Program here(argc, argv, "thread-migration", __FILE__);
    program = &here;
    processors = planted::processors();
    pthread_t workers[2];
    for (std::intptr_t number = 0; number < 2; ++number) {
        pthread_create(&workers[number], nullptr, run, reinterpret_cast<void*>(number));
    }
    for (const pthread_t& worker : workers) {
        pthread_join(worker, nullptr);
    }
    return here.end({{"solve", kSolveBegin, kSolveEnd}, {"run", kRunBegin, kRunEnd}}, {"worker-0", "worker-1"},
                    {"prepare", kDecoyBegin, kDecoyEnd});
}
