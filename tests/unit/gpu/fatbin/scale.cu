// The kernel in tests/fuzz/gpu/inputs/fat/good-*.fatbin, made by nvcc 13:
//   nvcc -fatbin -gencode arch=compute_80,code=[sm_80,compute_80] -no-compress          scale.cu -o good-plain.fatbin
//   the same with -compress-mode=speed                                                    good-lz4.fatbin
//   the same with neither                                                                 good-zstd.fatbin
extern "C" __global__ void scale(float* values, float factor, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) {
        values[i] *= factor;
    }
}
