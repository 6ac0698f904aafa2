// Planted: each CTA asks for far more shared memory than it uses, so that two warps share an SM and nothing hides their waits.
// Fixed: it asks for what it uses.
#include "cuda_program.h"

#include <vector>

// Follows a chain of indices; the threads of a warp stay side by side.
extern "C" __global__ void follow(const int* next, int* out, int steps) {  // defect
    KYMO_DYNAMIC_SHARED(int, last);
    const int me = static_cast<int>(threadIdx.x);
    const int i = static_cast<int>(blockIdx.x * blockDim.x) + me;
    int at = i;
    for (int step = 0; step < steps; ++step) {
        at = next[at];
    }
    last[me] = at;
    out[i] = last[me];
}
KYMO_KERNELS(follow);

int main(int argc, char** argv) {
    const bool bad = argc > 1 && std::strcmp(argv[1], "bad") == 0;
    constexpr int kThreads = 64;
    constexpr int kCtas = 1024;
    constexpr int kCount = kThreads * kCtas;
    constexpr int kSteps = 32;
    constexpr int kStride = 1024;
    std::vector<int> next(kCount);
    for (int i = 0; i < kCount; ++i) {
        next[static_cast<std::size_t>(i)] = (i + kStride) % kCount;
    }
    const int* const in = kymo_program::on_device(next.data(), kCount);
    int* const out = kymo_program::on_device<int>(kCount);
    const int shared = bad ? 60 * 1024 : kThreads * 4;
    kymo_program::check(cudaFuncSetAttribute(reinterpret_cast<const void*>(&follow),
                                             cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
                        "cudaFuncSetAttribute");
    kymo_program::launch(follow, kCtas, kThreads, static_cast<std::size_t>(shared), in, out, kSteps);
    std::vector<int> results(kCount);
    kymo_program::to_host(results.data(), out, kCount);
    for (int i = 0; i < kCount; ++i) {
        if (results[static_cast<std::size_t>(i)] != (i + kStride * kSteps) % kCount) {
            std::printf("wrong: element %d\n", i);
            return 1;
        }
    }
    std::printf("right\n");
    return 0;
}
