// Nothing is wrong: a sum over a range, halved until 50 microseconds of work are left, by tasks. OpenMP.
#include "planted.h"

#include <omp.h>

namespace {

constexpr int kLeaves = 32'768;

[[gnu::noinline]] std::uint64_t leaf(int begin) {
    return planted::work(50, static_cast<std::uint64_t>(begin));
}

std::uint64_t sum(int begin, int end) {
    if (end - begin == 1) {
        return leaf(begin);
    }
    const int middle = begin + (end - begin) / 2;
    std::uint64_t left = 0;
    std::uint64_t right = 0;
#pragma omp task shared(left) if (end - begin > 256)
    left = sum(begin, middle);
    right = sum(middle, end);
#pragma omp taskwait
    return left + right;
}

}  // namespace

int main(int argc, char** argv) {
    const planted::Program program(argc, argv, "nothing", __FILE__);
    std::uint64_t all = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    all = sum(0, kLeaves);
    planted::keep(&all);
    return program.end();
}
