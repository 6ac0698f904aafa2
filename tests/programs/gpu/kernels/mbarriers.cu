// Barriers that are objects in shared memory (compute capability 8.0): phases by token and by parity, threads that
// drop out, and asynchronous copies that arrive.
__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ void init(unsigned long long& barrier, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(count) : "memory");
}
__device__ unsigned long long arrive(unsigned long long& barrier) {
    unsigned long long token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(&barrier)) : "memory");
    return token;
}
__device__ void wait(unsigned long long& barrier, unsigned long long token) {
    unsigned done = 0;
    while (done == 0) {
        asm volatile(
            "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(shared_address(&barrier)), "l"(token)
            : "memory");
    }
}
__device__ void wait_parity(unsigned long long& barrier, unsigned parity) {
    unsigned done = 0;
    while (done == 0) {
        asm volatile(
            "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(shared_address(&barrier)), "r"(parity)
            : "memory");
    }
}

// One half of the threads fills a tile, the other sums it: two barriers, used again and again.
extern "C" __global__ void producers(const int* in, int* out, int tiles) {
    __shared__ int tile[128];
    __shared__ unsigned long long full, empty;
    const int half = blockDim.x / 2;
    const int me = threadIdx.x;
    if (me == 0) {
        init(full, blockDim.x);
        init(empty, blockDim.x);
    }
    __syncthreads();
    int sum = 0;
    for (int t = 0; t < tiles; ++t) {
        if (me < half) {
            tile[me] = in[t * half + me];
            arrive(full);
            wait(empty, arrive(empty));
        } else {
            wait(full, arrive(full));
            sum += tile[(me + 1) % half];
            arrive(empty);
        }
    }
    if (me >= half) {
        out[me - half] = sum;
    }
}

// A tile that is summed without waiting for it.
extern "C" __global__ void unwaited(const int* in, int* out) {
    __shared__ int tile[128];
    __shared__ unsigned long long full;
    const int half = blockDim.x / 2;
    const int me = threadIdx.x;
    if (me == 0) {
        init(full, blockDim.x);
    }
    __syncthreads();
    if (me < half) {
        tile[me] = in[me];
        arrive(full);
    } else {
        arrive(full);
        out[me - half] = tile[(me + 1) % half];
    }
}

// Each thread copies 16 bytes; the barrier opens when all copies are there.
extern "C" __global__ void copies(const int4* in, int4* out) {
    __shared__ int4 tile[64];
    __shared__ unsigned long long here;
    if (threadIdx.x == 0) {
        init(here, blockDim.x);
    }
    __syncthreads();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&tile[threadIdx.x])),
                 "l"(in + blockIdx.x * 64 + threadIdx.x)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&here)) : "memory");
    wait_parity(here, 0);
    int4 value = tile[63 - threadIdx.x];
    value.x += 1;
    out[blockIdx.x * 64 + threadIdx.x] = value;
}

// Round after round one warp fewer: the last is alone. out: who was pending before the warp's first thread came.
extern "C" __global__ void dropping(unsigned* out) {
    __shared__ unsigned long long all;
    if (threadIdx.x == 0) {
        init(all, blockDim.x);
    }
    __syncthreads();
    const unsigned warp = threadIdx.x / 32;
    for (unsigned round = 0; round < warp; ++round) {
        wait(all, arrive(all));
    }
    unsigned long long token;
    unsigned pending;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(&all)) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(token));
    out[threadIdx.x] = pending;
}
