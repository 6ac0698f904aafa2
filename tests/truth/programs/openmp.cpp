// An OpenMP program: two parallel loops, the second with uneven work. Prints a sum.
#include <cstdio>
#include <vector>

int main() {
    std::vector<double> values(1 << 20, 1.0);
    const long count = static_cast<long>(values.size());
    double sum = 0.0;
    for (int round = 0; round < 500; ++round) {
#pragma omp parallel for
        for (long i = 0; i < count; ++i) {
            values[static_cast<std::size_t>(i)] = values[static_cast<std::size_t>(i)] * 1.0000001 + 0.5;
        }
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 64)
        for (long i = 0; i < count; i += 256) {
            for (long j = 0; j < i / 256; ++j) {
                sum += values[static_cast<std::size_t>(j)];
            }
        }
    }
    std::printf("%.6e\n", sum);
}
