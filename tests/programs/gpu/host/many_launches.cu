// A program of many small launches: an array is smoothed step after step, a launch each. Its results are compared with the host's.
#include "cuda_program.h"

#include <utility>
#include <vector>

extern "C" __global__ void smooth(const int* from, int* to, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) {
        const int left = from[i == 0 ? count - 1 : i - 1];
        const int right = from[i == count - 1 ? 0 : i + 1];
        to[i] = (left + 2 * from[i] + right) / 4;
    }
}
KYMO_KERNELS(smooth);

int main(int argc, char** argv) {
    const int launches = argc > 1 ? std::atoi(argv[1]) : 100;
    constexpr int kCount = 500;
    std::vector<int> values(kCount);
    for (int i = 0; i < kCount; ++i) {
        values[static_cast<std::size_t>(i)] = (i * 7919) % 100'003;
    }
    int* from = kymo_program::on_device(values.data(), kCount);
    int* to = kymo_program::on_device<int>(kCount);
    for (int i = 0; i < launches; ++i) {
        kymo_program::launch(smooth, 4, 128, 0, static_cast<const int*>(from), to, kCount);
        std::swap(from, to);
    }
    std::vector<int> results(kCount);
    kymo_program::to_host(results.data(), from, kCount);
    for (int step = 0; step < launches; ++step) {
        std::vector<int> next(kCount);
        for (std::size_t i = 0; i < kCount; ++i) {
            next[i] = (values[(i + kCount - 1) % kCount] + 2 * values[i] + values[(i + 1) % kCount]) / 4;
        }
        values = std::move(next);
    }
    if (results != values) {
        std::printf("wrong\n");
        return 1;
    }
    std::printf("right\n");
    return 0;
}
