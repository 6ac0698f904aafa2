// Planted: every second thread of a warp takes the long way. Fixed: every second warp does.
#include "cuda_program.h"

#include <vector>

extern "C" __global__ void ways(const float* in, float* out, int run, int rounds) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    float value = in[i];
    if (i / run % 2 == 0) {
        for (int round = 0; round < rounds; ++round) {
            value = (value * 0.5f + static_cast<float>(round & 3)) * 0.25f + 1.0f;  // defect
        }
    } else {
        value += 1.0f;
    }
    out[i] = value;
}
KYMO_KERNELS(ways);

int main(int argc, char** argv) {
    const bool bad = argc > 1 && std::strcmp(argv[1], "bad") == 0;
    constexpr int kCount = 64 * 1024;
    constexpr int kRounds = 128;
    const int run = bad ? 1 : 32;
    std::vector<float> values(kCount);
    for (int i = 0; i < kCount; ++i) {
        values[static_cast<std::size_t>(i)] = static_cast<float>(i % 64);
    }
    const float* const in = kymo_program::on_device(values.data(), kCount);
    float* const out = kymo_program::on_device<float>(kCount);
    kymo_program::launch(ways, kCount / 256, 256, 0, in, out, run, kRounds);
    std::vector<float> results(kCount);
    kymo_program::to_host(results.data(), out, kCount);
    for (int i = 0; i < kCount; ++i) {
        float value = values[static_cast<std::size_t>(i)];
        for (int round = 0; i / run % 2 == 0 && round < kRounds; ++round) {
            // As the GPU contracts it.
            value = __builtin_fmaf(__builtin_fmaf(value, 0.5f, static_cast<float>(round & 3)), 0.25f, 1.0f);
        }
        value += i / run % 2 == 0 ? 0.0f : 1.0f;
        if (results[static_cast<std::size_t>(i)] != value) {
            std::printf("wrong: element %d\n", i);
            return 1;
        }
    }
    std::printf("right\n");
    return 0;
}
