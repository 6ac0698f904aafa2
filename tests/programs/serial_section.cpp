// Between two parallel loops one thread renumbers everything while the others wait for it. Fixed: the renumbering is
// shared out too. OpenMP.
#include "planted.h"

#include <omp.h>

namespace {

constexpr int kRounds = 64;
constexpr int kThreads = 2;
constexpr int kParts = 32;

constexpr int kRenumberBegin = __LINE__;
[[gnu::noinline]] void renumber(int parts) {
    const std::uint64_t sum = planted::work(600 * parts);
    planted::keep(&sum);
}
constexpr int kRenumberEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void update(int) {
    const std::uint64_t sum = planted::work(900);
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

void run(planted::Program& program) {
#pragma omp parallel num_threads(kThreads)
    {
        planted::name_thread("worker", omp_get_thread_num());
        for (int round = 0; round < kRounds; ++round) {
#pragma omp for schedule(static)
            for (int part = 0; part < kParts; ++part) {
                update(part);
            }
            if (program.is_bad()) {
#pragma omp single
                {
                    const planted::Planted planted(program);
                    renumber(kParts);
                }
            } else {
#pragma omp for schedule(static)
                for (int part = 0; part < kParts; ++part) {
                    renumber(1);
                }
            }
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    planted::Program program(argc, argv, "serial-section", __FILE__);
    run(program);
    return program.end({{"renumber", kRenumberBegin, kRenumberEnd}}, {}, {"update", kDecoyBegin, kDecoyEnd});
}
