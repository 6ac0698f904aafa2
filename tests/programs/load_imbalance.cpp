// Rows of growing length, dealt out in two equal halves by number: the thread with the long ones keeps the other
// waiting at the end of every loop. Fixed: rows are dealt out as threads become free. OpenMP.
#include "planted.h"

#include <omp.h>

namespace {

constexpr int kRounds = 80;
constexpr int kRows = 96;
constexpr int kThreads = 2;

constexpr int kRelaxBegin = __LINE__;
[[gnu::noinline]] void relax_row(int row) {
    const std::uint64_t sum = planted::work(4 * row);
    planted::keep(&sum);
}
constexpr int kRelaxEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void smooth_row() {
    const std::uint64_t sum = planted::work(100);
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

constexpr int kLoopBegin = __LINE__;
void relax(bool in_halves) {
    omp_set_schedule(in_halves ? omp_sched_static : omp_sched_dynamic, in_halves ? 0 : 1);
#pragma omp parallel for num_threads(kThreads) schedule(runtime)
    for (int row = 0; row < kRows; ++row) {
        relax_row(row);
    }
}
constexpr int kLoopEnd = __LINE__;

void smooth() {
#pragma omp parallel for num_threads(kThreads) schedule(static)
    for (int row = 0; row < kRows; ++row) {
        smooth_row();
    }
}

}  // namespace

int main(int argc, char** argv) {
    planted::Program program(argc, argv, "load-imbalance", __FILE__);
#pragma omp parallel num_threads(kThreads)
    planted::name_thread("worker", omp_get_thread_num());
    for (int round = 0; round < kRounds; ++round) {
        smooth();
        relax(program.is_bad());
    }
    return program.end({{"relax_row", kRelaxBegin, kRelaxEnd}, {"relax", kLoopBegin, kLoopEnd}}, {"worker-1"},
                       {"smooth_row", kDecoyBegin, kDecoyEnd});
}
