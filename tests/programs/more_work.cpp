// A few of the cells hold many times more particles than the rest, so their turn takes longer, at the same speed.
// That is not a defect of the code. Fixed: all cells hold as many as most do. OpenMP.
#include "planted.h"

#include <omp.h>

namespace {

constexpr int kThreads = 2;
constexpr int kRounds = 3;
constexpr int kCells = 80;
constexpr int kParticles = 4'000;

int particles_of(const planted::Program& program, int cell) {
    const bool is_crowded = program.is_bad() && (cell % 40 == 11 || cell % 40 == 27);
    return is_crowded ? kParticles * 12 : kParticles;
}

constexpr int kMoveBegin = __LINE__;
[[gnu::noinline]] void move_particles(int particles) {
    const auto steps = static_cast<std::int64_t>(particles * planted::steps_a_us());
    std::uint64_t position = 1;
    for (std::int64_t i = 0; i < steps; ++i) {
        position = planted::step(position);
    }
    planted::keep(&position);
}
constexpr int kMoveEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void deposit() {
    const std::uint64_t sum = planted::work(2'000);
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

}  // namespace

int main(int argc, char** argv) {
    planted::Program program(argc, argv, "more-work", __FILE__);
    for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel num_threads(kThreads)
        {
            planted::name_thread("worker", omp_get_thread_num());
#pragma omp for schedule(static, 1)
            for (int cell = 0; cell < kThreads * kCells; ++cell) {
                move_particles(particles_of(program, cell / kThreads));
                deposit();
            }
        }
    }
    return program.end({{"move_particles", kMoveBegin, kMoveEnd}}, {}, {"deposit", kDecoyBegin, kDecoyEnd});
}
