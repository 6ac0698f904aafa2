// Lanes of a warp that wait for one another, and kernels that cannot end.

// Each lane takes the lock, whichever it is.
extern "C" __global__ void locked(int* lock, int* count, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        *(volatile int*)count = *(volatile int*)count + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

// Two lanes in turn.
extern "C" __global__ void ping_pong(volatile int* turn, int* count, int rounds) {
    const int me = threadIdx.x & 1;
    for (int i = 0; i < rounds; ++i) {
        while ((*turn & 1) != me) {
        }
        *count += 1;
        __threadfence();
        *turn = *turn + 1;
    }
}

// Behind the lock all lanes of the warp meet again: a sum over them, then a barrier, then the other warps' sums.
extern "C" __global__ void lock_then_sum(int* lock, int* order, int* out) {
    __shared__ int sums[32];
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    const int mine = *(volatile int*)order;
    *(volatile int*)order = mine + 1;
    __threadfence();
    atomicExch(lock, 0);
    __syncwarp();
    int sum = mine;
    for (int by = 16; by != 0; by /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, by);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    int all = 0;
    for (int warp = 0; warp < blockDim.x / 32; ++warp) {
        all += sums[warp];
    }
    out[threadIdx.x] = all;
    out[blockDim.x + threadIdx.x] = mine;
}

// The same in functions of their own, and with a pause that grows.
__device__ __noinline__ bool take(int* lock) {
    return atomicCAS(lock, 0, 1) == 0;
}
__device__ __noinline__ int sum_of_lanes(int value) {
    for (int by = 16; by != 0; by /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, by);
    }
    return value;
}
extern "C" __global__ void lock_in_functions(int* lock, int* order, int* out) {
    unsigned pause = 8;
    while (!take(lock)) {
        __nanosleep(pause);
        if (pause < 256) {
            pause *= 2;
        }
    }
    const int mine = *(volatile int*)order;
    *(volatile int*)order = mine + 1;
    __threadfence();
    atomicExch(lock, 0);
    out[threadIdx.x] = sum_of_lanes(mine);
    out[blockDim.x + threadIdx.x] = mine;
}

// Lane 0 waits for the other warp, and its warp's other lanes for lane 0.
extern "C" __global__ void other_warp(volatile int* flag, int* out) {
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            while (*flag == 0) {
            }
        }
        out[threadIdx.x] = *flag;
    } else if (threadIdx.x == 63) {
        __threadfence();
        *flag = 7;
    }
}

// A lane of the first warp waits for a lane of its own warp that is behind the branch's meeting place.
extern "C" __global__ void behind_the_branch(volatile int* flag, int* out) {
    if (threadIdx.x == 3) {
        while (*flag != 31) {
        }
    }
    if (threadIdx.x != 3) {
        atomicAdd((int*)flag, 1);
    }
    out[threadIdx.x] = *flag;
}

extern "C" __global__ void nobody_sets(volatile int* flag) {
    while (*flag == 0) {
    }
}

// CTAs wait for those that come after them.
extern "C" __global__ void grid_barrier(int* arrived, int* out) {
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile int*)arrived < gridDim.x) {
        }
    }
    __syncthreads();
    out[blockIdx.x] = *arrived;
}

// A long loop that ends: it counts, stores what it has stored before, and reads what does not change.
extern "C" __global__ void long_loop(const volatile int* in, volatile int* out, int rounds) {
    int sum = 0;
    for (int i = 0; i < rounds; ++i) {
        sum += *in;
        out[threadIdx.x] = 5;
    }
    out[blockDim.x + threadIdx.x] = sum;
}

// Barriers in a part of a warp, in a part of a CTA, and behind lanes that have ended, which is right.
extern "C" __global__ void halves(int* out) {
    __shared__ int all[64];
    const int thread = threadIdx.x;
    if (thread % 32 < 16) {
        all[thread] = thread;
        __syncthreads();
    } else {
        all[thread] = 10 * thread;
        __syncthreads();
    }
    out[thread] = all[63 - thread];
}
extern "C" __global__ void some(int* out) {
    __shared__ int all[64];
    const int thread = threadIdx.x;
    all[thread] = thread;
    if (thread < 40) {
        __syncthreads();
    }
    out[thread] = all[63 - thread];
}
extern "C" __global__ void early(int* out, int count) {
    __shared__ int all[64];
    const int thread = threadIdx.x;
    if (thread >= count) {
        return;
    }
    all[thread] = thread;
    __syncthreads();
    out[thread] = all[count - 1 - thread];
}
extern "C" __global__ void absent_members(int* out) {
    int value = threadIdx.x;
    if (threadIdx.x < 8) {
        value = __shfl_sync(0xffffffffu, value, 3);
    }
    out[threadIdx.x] = value;
}

// One warp computes, and then waits for the other, which computes as long.
extern "C" __global__ void work_then_wait(volatile int* flag, volatile int* out, int rounds) {
    int sum = 0;
    for (int i = 0; i < rounds; ++i) {
        sum += out[threadIdx.x] + i;
    }
    if (threadIdx.x >= 32) {
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
    }
    out[threadIdx.x] = sum;
}
