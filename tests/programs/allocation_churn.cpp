// Every step makes its temporary arrays anew. They are large, so the allocator takes them from the system and gives
// them back each time, and their pages fault in again. Fixed: the arrays are made once. C++ threads, std::vector.
#include "planted.h"

#include <thread>

namespace {

constexpr int kThreads = 2;
constexpr int kSteps = 60;
constexpr std::size_t kCells = std::size_t{5} << 20U;  // 40 MiB, above all that the C library keeps

struct Buffers {
    std::vector<double> flux;
};

constexpr int kEvaluateBegin = __LINE__;
[[gnu::noinline]] double evaluate(Buffers& kept, bool keep_buffers, int step) {
    Buffers fresh;
    Buffers& buffers = keep_buffers ? kept : fresh;
    buffers.flux.resize(kCells);
    for (std::size_t cell = 0; cell < kCells; cell += 4) {
        buffers.flux[cell] = static_cast<double>(cell + static_cast<std::size_t>(step));
    }
    planted::keep(buffers.flux.data());
    return buffers.flux[kCells / 2];
}
constexpr int kEvaluateEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void limit(double flux) {
    const std::uint64_t sum = planted::work(12'000, static_cast<std::uint64_t>(flux));
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

void run(const planted::Program& program, int number) {
    planted::name_thread("worker", number);
    Buffers kept;
    for (int step = 0; step < kSteps; ++step) {
        limit(evaluate(kept, !program.is_bad(), step));
    }
}

}  // namespace

int main(int argc, char** argv) {
    planted::Program program(argc, argv, "allocation-churn", __FILE__);
    std::vector<std::thread> threads;
    for (int number = 0; number < kThreads; ++number) {
        threads.emplace_back(run, std::cref(program), number);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return program.end({{"evaluate", kEvaluateBegin, kEvaluateEnd}}, {"worker-0", "worker-1"},
                       {"limit", kDecoyBegin, kDecoyEnd});
}
