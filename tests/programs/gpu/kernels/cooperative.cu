// Kernels whose threads work together: shared memory, barriers, shuffles, votes, atomics.
extern "C" __global__ void reduce_shared(const int* in, int* out, int n) {
    extern __shared__ int part[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) {
            part[threadIdx.x] += part[threadIdx.x + step];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(out, part[0]);
    }
}

extern "C" __global__ void reduce_shuffle(const float* in, float* out, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += in[i];
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, step);
    }
    __shared__ float of_warp[32];
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0;
        for (int step = 16; step > 0; step /= 2) {
            sum += __shfl_xor_sync(0xFFFFFFFFu, sum, step);
        }
        if (threadIdx.x == 0) {
            out[blockIdx.x] = sum;
        }
    }
}

// An inclusive scan of each block.
extern "C" __global__ void scan(const int* in, int* out, int n) {
    __shared__ int of_warp[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    int value = i < n ? in[i] : 0;
    for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(0xFFFFFFFFu, value, step);
        if (lane >= step) {
            value += other;
        }
    }
    if (lane == 31) {
        of_warp[threadIdx.x / 32] = value;
    }
    __syncthreads();
    int before = 0;
    for (unsigned w = 0; w < threadIdx.x / 32; ++w) {
        before += of_warp[w];
    }
    if (i < n) {
        out[i] = value + before;
    }
}

extern "C" __global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
    }
}

extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        local[b] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[in[i]], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        atomicAdd(&bins[b], local[b]);
    }
}

extern "C" __global__ void bitonic_sort(unsigned* data, int n) {
    __shared__ unsigned part[512];
    part[threadIdx.x] = data[blockIdx.x * 512 + threadIdx.x];
    part[threadIdx.x + 256] = data[blockIdx.x * 512 + threadIdx.x + 256];
    for (unsigned size = 2; size <= 512; size *= 2) {
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            const bool up = (threadIdx.x & (size / 2)) == 0;
            const unsigned a = part[at];
            const unsigned b = part[at + stride];
            if ((a > b) == up) {
                part[at] = b;
                part[at + stride] = a;
            }
        }
    }
    __syncthreads();
    data[blockIdx.x * 512 + threadIdx.x] = part[threadIdx.x];
    data[blockIdx.x * 512 + threadIdx.x + 256] = part[threadIdx.x + 256];
}

extern "C" __global__ void walsh(float* data, int log_n) {
    extern __shared__ float values[];
    const int n = 1 << log_n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        values[i] = data[blockIdx.x * n + i];
    }
    for (int stride = 1; stride < n; stride *= 2) {
        __syncthreads();
        for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
            const int low = i & (stride - 1);
            const int at = 2 * (i - low) + low;
            const float a = values[at];
            const float b = values[at + stride];
            values[at] = a + b;
            values[at + stride] = a - b;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        data[blockIdx.x * n + i] = values[i];
    }
}

// One bit a warp's lane, counted, matched and voted on.
extern "C" __global__ void votes(const int* in, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned odd = __ballot_sync(0xFFFFFFFFu, in[i] & 1);
    const unsigned same = __match_any_sync(0xFFFFFFFFu, in[i] % 5);
    const int any = __any_sync(0xFFFFFFFFu, in[i] == 7);
    const int all = __all_sync(0xFFFFFFFFu, in[i] >= 0);
    const int together = __syncthreads_count(in[i] > 3);
    out[i] = __popc(odd) + __ffs(same) * 100 + any * 10000 + all * 100000 + together * 1000000;
}
