// Planted defects and their fixed twins, for what is watched on demand: races, and reads of what nothing has written.
// The lines that are told end with a comment of their own.
extern "C" __global__ void neighbour_bad(const int* in, int* out) {
    __shared__ int part[64];
    part[threadIdx.x] = in[threadIdx.x];  // written
    out[threadIdx.x] = part[(threadIdx.x + 32) % 64];  // neighbour
}
extern "C" __global__ void neighbour_fixed(const int* in, int* out) {
    __shared__ int part[64];
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = part[(threadIdx.x + 32) % 64];
}

// The barrier is there, but the next round writes before all have read.
extern "C" __global__ void rounds_bad(const int* in, int* out) {
    __shared__ int part[64];
    int sum = 0;
    for (int round = 0; round < 3; ++round) {
        part[threadIdx.x] = in[round * 64 + threadIdx.x];  // overwritten
        __syncthreads();
        sum += part[63 - threadIdx.x];  // mirrored
    }
    out[threadIdx.x] = sum;
}
extern "C" __global__ void rounds_fixed(const int* in, int* out) {
    __shared__ int part[64];
    int sum = 0;
    for (int round = 0; round < 3; ++round) {
        part[threadIdx.x] = in[round * 64 + threadIdx.x];
        __syncthreads();
        sum += part[63 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void lanes_bad(const int* in, int* out) {
    __shared__ int part[32];
    part[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = part[threadIdx.x ^ 1];  // lane
}
extern "C" __global__ void lanes_fixed(const int* in, int* out) {
    __shared__ int part[32];
    part[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = part[threadIdx.x ^ 1];
}

// Bytes beside each other are not the same memory.
extern "C" __global__ void bytes_fixed(const int* in, int* out) {
    __shared__ unsigned char part[64];
    part[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = part[threadIdx.x];
}

extern "C" __global__ void sum_bad(const int* in, int* out) {
    out[0] += in[blockIdx.x * blockDim.x + threadIdx.x];  // sum
}
extern "C" __global__ void sum_fixed(const int* in, int* out) {
    atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

// The last CTA to come adds up what all have left.
template <bool Fence>
__device__ void last_adds(const int* in, int* parts, unsigned* count, int* out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = in[blockIdx.x];
        if (Fence) {
            __threadfence();
        }
        last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 1) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; ++i) {
            sum += parts[i];  // parts
        }
        *out = sum;
    }
}
extern "C" __global__ void last_bad(const int* in, int* parts, unsigned* count, int* out) {
    last_adds<false>(in, parts, count, out);
}
extern "C" __global__ void last_fixed(const int* in, int* parts, unsigned* count, int* out) {
    last_adds<true>(in, parts, count, out);
}

// All say the same, which no order changes.
extern "C" __global__ void same_fixed(const int* in, int* out) {
    if (in[threadIdx.x] >= 0) {
        *out = 1;
    }
}

extern "C" __global__ void shared_bad(const int* in, int* out) {
    __shared__ int part[65];
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = part[threadIdx.x + 1];  // edge
}
extern "C" __global__ void shared_fixed(const int* in, int* out) {
    __shared__ int part[65];
    part[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x == 0) {
        part[64] = 0;
    }
    __syncthreads();
    out[threadIdx.x] = part[threadIdx.x + 1];
}

template <int Written>
__device__ int counted(const int* in) {
    int count[8];
    for (int i = 0; i < Written; ++i) {
        count[i] = 0;
    }
    for (int i = 0; i < 4; ++i) {
        ++count[in[threadIdx.x * 4 + i] & 7];  // local
    }
    return count[in[threadIdx.x] & 7];
}
extern "C" __global__ void local_bad(const int* in, int* out) {
    out[threadIdx.x] = counted<5>(in);
}
extern "C" __global__ void local_fixed(const int* in, int* out) {
    out[threadIdx.x] = counted<8>(in);
}
