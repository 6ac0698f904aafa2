// The calls of CUDA's runtime that programs make most, each held to what the interface promises. `calls NAME` runs one group;
// what does not hold is printed.
#include "cuda_program.h"

#include <numeric>
#include <vector>

__constant__ float factors[4];
__device__ int seen;
__managed__ int rounds;

extern "C" __global__ void scale(const float* in, float* out, int count, int which) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) {
        out[i] = in[i] * factors[which];
        if (i == count - 1) {
            seen = i;
            rounds += 1;
        }
    }
}

extern "C" __global__ void increment(int* values, int count) {
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count;
         i += static_cast<int>(gridDim.x * blockDim.x)) {
        values[i] += 1;
    }
}

// Each thread writes `bytes` behind its place in `out`.
extern "C" __global__ void write_behind(int* out, long long bytes) {
    char* const at = reinterpret_cast<char*>(out + threadIdx.x) + bytes;
    *reinterpret_cast<int*>(at) = 1;  // fault
}
KYMO_KERNELS(scale, increment, write_behind);
KYMO_VARIABLES(factors, seen);
KYMO_MANAGED(int, rounds)

namespace {

using kymo_program::check;
using kymo_program::launch;

int wrong = 0;

void hold(bool holds, const char* what) {
    if (!holds) {
        std::printf("does not hold: %s\n", what);
        ++wrong;
    }
}

void fails(cudaError_t status, const char* name, const char* what) {
    if (std::strcmp(cudaGetErrorName(status), name) != 0) {
        std::printf("%s: expected %s, seen %s\n", what, name, cudaGetErrorName(status));
        ++wrong;
    }
}

void symbols() {
    const float values[4] = {1, 2, 3, 4};
    check(cudaMemcpyToSymbol(reinterpret_cast<const void*>(&factors), values, sizeof(values), 0,
                             cudaMemcpyHostToDevice),
          "cudaMemcpyToSymbol");
    const float ten = 10;
    check(cudaMemcpyToSymbol(reinterpret_cast<const void*>(&factors), &ten, sizeof(ten), 8, cudaMemcpyHostToDevice),
          "cudaMemcpyToSymbol");
    fails(cudaMemcpyToSymbol(reinterpret_cast<const void*>(&factors), values, sizeof(values), 8,
                             cudaMemcpyHostToDevice),
          "cudaErrorInvalidValue", "a copy behind a symbol's end");
    fails(cudaMemcpyToSymbol(reinterpret_cast<const void*>(&ten), values, 4, 0, cudaMemcpyHostToDevice),
          "cudaErrorInvalidSymbol", "a copy to no symbol");
    std::vector<float> in(1000);
    std::iota(in.begin(), in.end(), 0.0f);
    const float* const from = kymo_program::on_device(in.data(), in.size());
    float* const to = kymo_program::on_device<float>(in.size());
    launch(scale, 4, 256, 0, from, to, 1000, 2);
    std::vector<float> out(1000);
    kymo_program::to_host(out.data(), to, out.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        hold(out[i] == in[i] * 10, "the kernel reads the constant that was copied");
    }
    int last = 0;
    check(cudaMemcpyFromSymbol(&last, reinterpret_cast<const void*>(&seen), sizeof(last), 0, cudaMemcpyDeviceToHost),
          "cudaMemcpyFromSymbol");
    hold(last == 999, "the host reads the variable that the kernel wrote");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    hold(*rounds_at() == 1, "the host reads the managed variable that the kernel wrote");
    fails(cudaFree(rounds_at()), "cudaErrorInvalidValue", "freeing a managed variable, which is its module's");
    fails(cudaHostUnregister(rounds_at()), "cudaErrorHostMemoryNotRegistered", "a managed variable was not registered");
    launch(scale, 4, 256, 0, from, to, 1000, 2);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    hold(*rounds_at() == 2, "the managed variable is still there");
}

void memory() {
    std::size_t free_before = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free_before, &total), "cudaMemGetInfo");
    void* device = nullptr;
    check(cudaMalloc(&device, 1 << 20), "cudaMalloc");
    std::size_t free_then = 0;
    check(cudaMemGetInfo(&free_then, &total), "cudaMemGetInfo");
    hold(free_before - free_then >= 1 << 20 && free_before <= total, "an allocation shows in the free memory");
    std::vector<char> host((1 << 20) + 1, 1);
    fails(cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice), "cudaErrorInvalidValue",
          "a copy behind an allocation's end");
    fails(cudaMemcpy(host.data(), host.data() + 8, 8, cudaMemcpyDeviceToHost), "cudaErrorInvalidValue",
          "a copy from the device of what is the host's");
    fails(cudaMemcpy(device, host.data(), 8, static_cast<cudaMemcpyKind>(7)), "cudaErrorInvalidMemcpyDirection",
          "a copy in no direction");
    check(cudaFree(device), "cudaFree");
    fails(cudaFree(device), "cudaErrorInvalidValue", "freeing twice");
    check(cudaFree(nullptr), "freeing nothing");
    fails(cudaMalloc(&device, total + 1), "cudaErrorMemoryAllocation", "more than the GPU has");
    fails(cudaGetLastError(), "cudaErrorMemoryAllocation", "the last error");
    fails(cudaGetLastError(), "cudaSuccess", "the last error, once it was told");

    // Rows of 100 bytes in a pitched allocation.
    std::size_t pitch = 0;
    check(cudaMallocPitch(&device, &pitch, 100, 16), "cudaMallocPitch");
    hold(pitch >= 100 && pitch % 256 == 0, "a pitch that keeps rows aligned");
    check(cudaMemset2D(device, pitch, 7, 100, 16), "cudaMemset2D");
    std::vector<char> rows(100 * 16, 0);
    check(cudaMemcpy2D(rows.data(), 100, device, pitch, 100, 16, cudaMemcpyDeviceToHost), "cudaMemcpy2D");
    for (const char one : rows) {
        hold(one == 7, "all bytes of all rows");
    }
    fails(cudaMemcpy2D(rows.data(), 99, device, pitch, 100, 16, cudaMemcpyDeviceToHost), "cudaErrorInvalidPitchValue",
          "a pitch shorter than a row");
    fails(cudaMemset2D(device, pitch, 7, 100, ~std::size_t{0} / pitch + 2), "cudaErrorInvalidValue",
          "rows beyond all addresses");
    void* none = nullptr;
    std::size_t wide = 0;
    fails(cudaMallocPitch(&none, &wide, ~std::size_t{0} - 100, 16), "cudaErrorMemoryAllocation", "rows as long as memory");

    // Memory that both sides use.
    void* managed = nullptr;
    void* pinned = nullptr;
    std::vector<int> own(512, 5);
    check(cudaMallocManaged(&managed, 512 * sizeof(int), 1), "cudaMallocManaged");
    check(cudaMallocHost(&pinned, 512 * sizeof(int)), "cudaMallocHost");
    check(cudaHostRegister(own.data(), 512 * sizeof(int), 0), "cudaHostRegister");
    int* const both[3] = {static_cast<int*>(managed), static_cast<int*>(pinned), own.data()};
    for (int* const values : both) {
        std::fill(values, values + 512, 5);
        launch(increment, 2, 64, 0, values, 512);
        for (int i = 0; i < 512; ++i) {
            hold(values[i] == 6, "the host sees what the kernel wrote");
        }
    }
    check(cudaHostUnregister(own.data()), "cudaHostUnregister");
    check(cudaFree(managed), "cudaFree");
    fails(cudaFree(pinned), "cudaErrorInvalidValue", "freeing pinned memory as the device's");
    check(cudaFreeHost(pinned), "cudaFreeHost");
}

void times() {
    cudaEvent_t before = nullptr;
    cudaEvent_t between = nullptr;
    cudaEvent_t after = nullptr;
    cudaStream_t stream = nullptr;
    check(cudaEventCreate(&before), "cudaEventCreate");
    check(cudaEventCreate(&between), "cudaEventCreate");
    check(cudaEventCreate(&after), "cudaEventCreate");
    check(cudaStreamCreate(&stream), "cudaStreamCreate");
    int* const values = kymo_program::on_device<int>(1 << 16);
    float milliseconds = 0;
    fails(cudaEventElapsedTime(&milliseconds, before, after), "cudaErrorInvalidResourceHandle", "no event recorded");
    check(cudaEventRecord(before, stream), "cudaEventRecord");
    launch(increment, 256, 256, 0, values, 1 << 16);
    check(cudaEventRecord(between, stream), "cudaEventRecord");
    launch(increment, 8, 256, 0, values, 1 << 16);  // the same work by fewer CTAs takes longer
    check(cudaEventRecord(after, stream), "cudaEventRecord");
    check(cudaEventSynchronize(after), "cudaEventSynchronize");
    float first = 0;
    float second = 0;
    float both = 0;
    check(cudaEventElapsedTime(&first, before, between), "cudaEventElapsedTime");
    check(cudaEventElapsedTime(&second, between, after), "cudaEventElapsedTime");
    check(cudaEventElapsedTime(&both, before, after), "cudaEventElapsedTime");
    hold(first > 0.0005f && second > first && std::fabs(both - first - second) < 1e-6f,
         "elapsed times are those of the launches between");
    std::printf("elapsed %.9g\n", static_cast<double>(both) * 1e3);
    check(cudaStreamDestroy(stream), "cudaStreamDestroy");
    fails(cudaStreamSynchronize(stream), "cudaErrorInvalidResourceHandle", "a stream that is gone");
    fails(cudaEventRecord(before, stream), "cudaErrorInvalidResourceHandle", "an event in a stream that is gone");
}

void refusals() {
    cudaGraph_t graph = nullptr;
    fails(cudaGraphCreate(&graph, 0), "cudaErrorNotSupported", "a graph");
    int count = 1;
    int* values = nullptr;
    void* arguments[] = {&values, &count};
    const auto of = [](void (*kernel)(int*, int)) { return reinterpret_cast<const void*>(kernel); };
    fails(cudaLaunchKernel(of(increment), 1, 2048, arguments, 0, nullptr), "cudaErrorInvalidConfiguration",
          "2048 threads");
    fails(cudaLaunchKernel(of(increment), 0, 32, arguments, 0, nullptr), "cudaErrorInvalidConfiguration", "no CTAs");
    fails(cudaLaunchKernel(of(increment), 1, 32, arguments, 49 * 1024, nullptr), "cudaErrorInvalidValue",
          "shared memory that was not asked for");
    fails(cudaLaunchKernel(&count, 1, 32, arguments, 0, nullptr), "cudaErrorInvalidDeviceFunction", "no kernel");
    int ctas = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, of(increment), 1024, 0), "occupancy");
    hold(ctas >= 1 && ctas <= 2, "CTAs of 1024 threads that an SM holds");
}

// A fault in a kernel is told by the calls after it, and stays.
void fault(long long bytes, const char* name) {
    int* const out = kymo_program::on_device<int>(64);
    void* arguments[] = {const_cast<int**>(&out), &bytes};
    check(cudaLaunchKernel(reinterpret_cast<const void*>(&write_behind), 1, 64, arguments, 0, nullptr), "launch");
    fails(cudaDeviceSynchronize(), name, "waiting for the kernel");
    fails(cudaGetLastError(), name, "the last error");
    fails(cudaGetLastError(), name, "the last error, a second time");
    void* more = nullptr;
    fails(cudaMalloc(&more, 16), name, "a call after the fault");
    check(cudaDeviceReset(), "cudaDeviceReset");
    check(cudaMalloc(&more, 16), "cudaMalloc after a reset");
}

}  // namespace

int main(int argc, char** argv) {
    const char* const group = argc > 1 ? argv[1] : "";
    if (std::strcmp(group, "symbols") == 0) {
        symbols();
    } else if (std::strcmp(group, "memory") == 0) {
        memory();
    } else if (std::strcmp(group, "times") == 0) {
        times();
    } else if (std::strcmp(group, "refusals") == 0) {
        refusals();
    } else if (std::strcmp(group, "outside") == 0) {
        fault(1 << 20, "cudaErrorIllegalAddress");
    } else if (std::strcmp(group, "misaligned") == 0) {
        fault(2, "cudaErrorMisalignedAddress");
    } else {
        std::printf("usage: calls symbols|memory|times|refusals|outside|misaligned\n");
        return 2;
    }
    std::printf("%s\n", wrong == 0 ? "right" : "wrong");
    return wrong == 0 ? 0 : 1;
}
