// Kernels that wait: lanes for a lock, for ever for a flag, and one that counts until it is ended from outside.
#include "cuda_program.h"

extern "C" __global__ void locked(int* lock, int* count) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *(volatile int*)count = *(volatile int*)count + 1;
    __threadfence();
    atomicExch(lock, 0);
}

extern "C" __global__ void awaiting(volatile int* flag) {
    while (*flag == 0) {  // flag
    }
}

extern "C" __global__ void counting(volatile int* at) {
    if (blockIdx.x == 2) {
        for (;;) {
            *at = *at + 1;  // count
        }
    }
}
KYMO_KERNELS(locked, awaiting, counting);

int main(int argc, char** argv) {
    const char* const which = argc > 1 ? argv[1] : "locked";
    const int zeros[2] = {0, 0};
    int* const at = const_cast<int*>(kymo_program::on_device(zeros, 2));
    if (std::strcmp(which, "locked") == 0) {
        kymo_program::launch(locked, 2, 32, 0, at, at + 1);
        int results[2];
        kymo_program::to_host(results, at, 2);
        std::printf("%d\n", results[1]);
        return 0;
    }
    kymo_program::launch(std::strcmp(which, "awaiting") == 0 ? awaiting : counting, 4, 32, 0, static_cast<volatile int*>(at));
    return cudaDeviceSynchronize() == 0 ? 0 : 9;
}
