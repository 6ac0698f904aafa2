// Planted: one CTA more than the GPU holds at a time, so that the launch takes twice as long. Fixed: as many as it holds, each
// with a little more work.
#include "cuda_program.h"

#include <vector>

extern "C" __global__ void halve(const float* in, float* out, int count) {  // defect
    const int threads = static_cast<int>(gridDim.x * blockDim.x);
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += threads) {
        float value = in[i];
        for (int round = 0; round < 32; ++round) {
            value = value * 0.5f + 1.0f;
        }
        out[i] = value;
    }
}
KYMO_KERNELS(halve);

int main(int argc, char** argv) {
    const bool bad = argc > 1 && std::strcmp(argv[1], "bad") == 0;
    constexpr int kThreads = 1024;
    constexpr int kOfThread = 16;
    int sms = 0;
    kymo_program::check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
    const int places = 2 * sms;  // of 2048 threads an SM
    const int count = (places + 1) * kThreads * kOfThread;
    std::vector<float> values(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        values[static_cast<std::size_t>(i)] = static_cast<float>(i % 64);
    }
    const float* const in = kymo_program::on_device(values.data(), values.size());
    float* const out = kymo_program::on_device<float>(values.size());
    kymo_program::launch(halve, static_cast<unsigned>(bad ? places + 1 : places), kThreads, 0, in, out, count);
    std::vector<float> results(values.size());
    kymo_program::to_host(results.data(), out, results.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        float value = values[i];
        for (int round = 0; round < 32; ++round) {
            value = __builtin_fmaf(value, 0.5f, 1.0f);
        }
        if (results[i] != value) {
            std::printf("wrong: element %zu\n", i);
            return 1;
        }
    }
    std::printf("right\n");
    return 0;
}
