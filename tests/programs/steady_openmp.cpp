// Nothing is wrong: a heat equation on a plate, rows dealt out evenly. OpenMP.
#include "planted.h"

#include <omp.h>

namespace {

constexpr int kSweeps = 5'000;
constexpr std::size_t kSide = 600;

void sweep(const std::vector<double>& from, std::vector<double>& to) {
#pragma omp parallel for num_threads(2) schedule(static)
    for (std::size_t row = 1; row < kSide - 1; ++row) {
        for (std::size_t column = 1; column < kSide - 1; ++column) {
            const std::size_t at = row * kSide + column;
            to[at] =
                from[at] + 0.1 * (from[at - 1] + from[at + 1] + from[at - kSide] + from[at + kSide] - 4 * from[at]);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const planted::Program program(argc, argv, "nothing", __FILE__);
    std::vector<double> plate(kSide * kSide, 1.0);
    std::vector<double> next = plate;
    for (int i = 0; i < kSweeps; ++i) {
        sweep(plate, next);
        plate.swap(next);
    }
    planted::keep(plate.data());
    return program.end();
}
