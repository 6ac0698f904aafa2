// Planted: neighbouring threads access memory a row apart. Fixed: they access neighbours.
#include "cuda_program.h"

#include <vector>

// Element i of a matrix of `rows` rows, column by column; with one row, that is in the order of memory.
extern "C" __global__ void scale(const float* in, float* out, int count, int rows) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int at = i % rows * (count / rows) + i / rows;
    out[at] = in[at] * 2.0f + 1.0f;  // defect
}
KYMO_KERNELS(scale);

int main(int argc, char** argv) {
    const bool bad = argc > 1 && std::strcmp(argv[1], "bad") == 0;
    constexpr int kSide = 512;
    constexpr int kCount = kSide * kSide;
    std::vector<float> values(kCount);
    for (int i = 0; i < kCount; ++i) {
        values[i] = static_cast<float>(i % 1000);
    }
    const float* const in = kymo_program::on_device(values.data(), kCount);
    float* const out = kymo_program::on_device<float>(kCount);
    kymo_program::launch(scale, kCount / 256, 256, 0, in, out, kCount, bad ? kSide : 1);
    std::vector<float> results(kCount);
    kymo_program::to_host(results.data(), out, kCount);
    for (int i = 0; i < kCount; ++i) {
        if (results[i] != values[i] * 2.0f + 1.0f) {
            std::printf("wrong: element %d is %g\n", i, static_cast<double>(results[i]));
            return 1;
        }
    }
    std::printf("right\n");
    return 0;
}
