// Planted: memory that nothing has written is read, and a neighbour's element before it is there. Fixed: neither.
#include "cuda_program.h"

#include <vector>

KYMO_DYNAMIC_SHARED(float, tile);

extern "C" __global__ void smooth(const float* in, const float* offset, float* out) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    tile[threadIdx.x] = in[i] + offset[i];  // unwritten
    out[i] = 0.5f * (tile[threadIdx.x] + tile[(threadIdx.x + 64) % 256]);  // race
}

extern "C" __global__ void smooth_fixed(const float* in, const float* offset, float* out) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    tile[threadIdx.x] = in[i] + offset[i];
    __syncthreads();
    out[i] = 0.5f * (tile[threadIdx.x] + tile[(threadIdx.x + 64) % 256]);
}
KYMO_KERNELS(smooth, smooth_fixed);

int main(int argc, char** argv) {
    const bool bad = argc > 1 && std::strcmp(argv[1], "bad") == 0;
    constexpr int kCount = 1024;
    const std::vector<float> ones(kCount, 1.0f);
    const std::vector<float> zeros(kCount, 0.0f);
    const float* const in = kymo_program::on_device(ones.data(), kCount);
    void* offset = nullptr;
    kymo_program::check(cudaMalloc(&offset, kCount * sizeof(float)), "cudaMalloc");
    if (!bad) {
        kymo_program::check(cudaMemcpy(offset, zeros.data(), kCount * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
    }
    float* const out = kymo_program::on_device<float>(kCount);
    kymo_program::launch(bad ? smooth : smooth_fixed, kCount / 256, 256, 256 * sizeof(float), in,
                         static_cast<const float*>(offset), out);
    std::vector<float> results(kCount);
    kymo_program::to_host(results.data(), out, kCount);
    std::printf("%s\n", bad || results == ones ? "right" : "wrong");
    return 0;
}
