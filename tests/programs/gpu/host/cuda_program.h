// A CUDA program that builds with nvcc and without.
//
// With nvcc it is an ordinary program of the CUDA runtime. Without, the kernels' bodies are compiled for the host,
// where nobody calls them, and their PTX, which nvcc made of the same file and which is kept beside it, is put into
// the program as nvcc puts it (docs/fat-binaries.md). Either way it calls the same library.
//
// Kernels are extern "C", so that they have one name everywhere; KYMO_KERNELS(name, …) names them.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef __CUDACC__

#include <cuda_runtime.h>
#define KYMO_KERNELS(...) static_assert(true)
#define KYMO_VARIABLES(...) static_assert(true)
#define KYMO_MANAGED(type, name)      \
    static inline type* name##_at() { \
        return &name;                 \
    }
#define KYMO_DYNAMIC_SHARED(type, name) extern __shared__ type name[]

#else

#include <cmath>
#include <cstdint>

struct dim3 {
    dim3(unsigned x_is = 1, unsigned y_is = 1, unsigned z_is = 1) : x(x_is), y(y_is), z(z_is) {}
    unsigned x;
    unsigned y;
    unsigned z;
};
using cudaError_t = int;
using cudaEvent_t = struct CUevent_st*;
using cudaGraph_t = struct CUgraph_st*;
using cudaStream_t = struct CUstream_st*;
enum { cudaSuccess = 0 };
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice
};

extern "C" {
cudaError_t cudaMalloc(void**, std::size_t);
cudaError_t cudaMallocManaged(void**, std::size_t, unsigned);
cudaError_t cudaMallocHost(void**, std::size_t);
cudaError_t cudaMallocPitch(void**, std::size_t*, std::size_t, std::size_t);
cudaError_t cudaFree(void*);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaHostRegister(void*, std::size_t, unsigned);
cudaError_t cudaHostUnregister(void*);
cudaError_t cudaMemGetInfo(std::size_t*, std::size_t*);
cudaError_t cudaMemcpy2D(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemset2D(void*, std::size_t, int, std::size_t, std::size_t);
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaPeekAtLastError();
cudaError_t cudaDeviceReset();
cudaError_t cudaGraphCreate(cudaGraph_t*, unsigned);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, std::size_t);
cudaError_t cudaMemcpy(void*, const void*, std::size_t, cudaMemcpyKind);
cudaError_t cudaMemset(void*, int, std::size_t);
cudaError_t cudaMemcpyToSymbol(const void*, const void*, std::size_t, std::size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyFromSymbol(void*, const void*, std::size_t, std::size_t, cudaMemcpyKind);
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t cudaFuncSetAttribute(const void*, int, int);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceGetAttribute(int*, int, int);
cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t);
const char* cudaGetErrorName(cudaError_t);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);
char __cudaInitModule(void**);
}
enum { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum { cudaDevAttrMultiProcessorCount = 16 };

// What the bodies name; none of it is ever used.
struct uint3 {
    unsigned x, y, z;
};
static constexpr uint3 threadIdx{0, 0, 0};
static constexpr uint3 blockIdx{0, 0, 0};
static constexpr uint3 blockDim{1, 1, 1};
static constexpr uint3 gridDim{1, 1, 1};
#define __global__
#define __device__
#define __constant__
#define __managed__ [[maybe_unused]] static
#define __shared__ static
#define KYMO_DYNAMIC_SHARED(type, name) static type name[1]
inline void __syncthreads() {}
inline void __threadfence() {}
inline int atomicCAS(int* at, int, int) {
    return *at;
}
inline int atomicExch(int* at, int) {
    return *at;
}

// The container, put together by the assembler: one plain PTX entry for compute capability 8.0.
asm(".pushsection .nv_fatbin, \"a\", @progbits\n"
    ".balign 8\n"
    ".globl kymo_fat_binary\n"
    ".hidden kymo_fat_binary\n"
    "kymo_fat_binary:\n"
    ".long 0xba55ed50\n"
    ".short 1, 16\n"
    ".quad 3f - 1f\n"
    "1: .short 1, 0x101\n"
    ".long 64\n"
    ".quad 3f - 2f\n"
    ".long 0, 0\n"
    ".short 0, 9\n"
    ".long 80, 0, 0\n"
    ".quad 0x11, 0, 0\n"
    "2: .incbin \"" KYMO_PTX
    "\"\n"
    ".byte 0\n"
    ".balign 8\n"
    "3:\n"
    ".popsection\n");
extern "C" const unsigned char kymo_fat_binary[];

namespace kymo_program {

struct FatWrapper {
    std::uint32_t magic;
    std::uint32_t version;
    const unsigned char* data;
    void* more;
};

struct Named {
    const char* name;
    const void* host;
};

class Registered {
  public:
    template <std::size_t N>
    explicit Registered(const Named (&kernels)[N]) {
        static FatWrapper wrapper{0x466243b1, 1, kymo_fat_binary, nullptr};
        handle_ = __cudaRegisterFatBinary(&wrapper);
        for (const Named& kernel : kernels) {
            __cudaRegisterFunction(handle_, static_cast<const char*>(kernel.host), const_cast<char*>(kernel.name),
                                   kernel.name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
        }
        __cudaRegisterFatBinaryEnd(handle_);
    }
    ~Registered() { __cudaUnregisterFatBinary(handle_); }
    void** handle() const { return handle_; }

  private:
    void** handle_ = nullptr;
};

}  // namespace kymo_program

#define KYMO_KERNEL(name)                           \
    kymo_program::Named {                           \
        #name, reinterpret_cast<const void*>(&name) \
    }
#define KYMO_KERNELS_OF(...)                                         \
    static const kymo_program::Named kymo_kernels[] = {__VA_ARGS__}; \
    static const kymo_program::Registered kymo_registered(kymo_kernels)

// Variables of the device: after KYMO_KERNELS, since they belong to the same fat binary.
namespace kymo_program {
struct NamedVariable {
    const char* name;
    const void* host;
    std::size_t bytes;
};
template <std::size_t N>
inline bool add_variables(void** handle, const NamedVariable (&variables)[N]) {
    for (const NamedVariable& one : variables) {
        char* const host = static_cast<char*>(const_cast<void*>(one.host));
        __cudaRegisterVar(handle, host, host, one.name, 0, one.bytes, 0, 0);
    }
    return true;
}
}  // namespace kymo_program
#define KYMO_VARIABLE(name)                                  \
    kymo_program::NamedVariable {                            \
        #name, static_cast<const void*>(&name), sizeof(name) \
    }
#define KYMO_VARIABLES(a, b)                                                                          \
    static const kymo_program::NamedVariable kymo_variables[] = {KYMO_VARIABLE(a), KYMO_VARIABLE(b)}; \
    static const bool kymo_variables_added = kymo_program::add_variables(kymo_registered.handle(), kymo_variables)

// A __managed__ variable, and NAME_at(), where the host finds it.
#define KYMO_MANAGED(type, name)                                                                            \
    static type* name##_at() {                                                                              \
        static void* at = nullptr;                                                                          \
        if (at == nullptr) {                                                                                \
            __cudaRegisterManagedVar(kymo_registered.handle(), &at, nullptr, #name, 0, sizeof(type), 0, 0); \
            (void)__cudaInitModule(kymo_registered.handle());                                               \
        }                                                                                                   \
        return static_cast<type*>(at);                                                                      \
    }

#define KYMO_EACH_1(a) KYMO_KERNEL(a)
#define KYMO_EACH_2(a, ...) KYMO_KERNEL(a), KYMO_EACH_1(__VA_ARGS__)
#define KYMO_EACH_3(a, ...) KYMO_KERNEL(a), KYMO_EACH_2(__VA_ARGS__)
#define KYMO_EACH_4(a, ...) KYMO_KERNEL(a), KYMO_EACH_3(__VA_ARGS__)
#define KYMO_PICK(a, b, c, d, chosen, ...) chosen
#define KYMO_KERNELS(...) \
    KYMO_KERNELS_OF(KYMO_PICK(__VA_ARGS__, KYMO_EACH_4, KYMO_EACH_3, KYMO_EACH_2, KYMO_EACH_1, 0)(__VA_ARGS__))

#endif

namespace kymo_program {

inline void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
        std::exit(1);
    }
}

// kernel<<<grid, block, shared>>>(arguments…)
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared, Arguments... given) {
    auto call = [&](Parameters... values) {
        void* arguments[sizeof...(Parameters) + 1] = {static_cast<void*>(&values)..., nullptr};
        check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, nullptr),
              "launch");
    };
    call(given...);
    check(cudaDeviceSynchronize(), "kernel");
}

template <typename T>
T* on_device(std::size_t count) {
    void* address = nullptr;
    check(cudaMalloc(&address, count * sizeof(T)), "cudaMalloc");
    check(cudaMemset(address, 0, count * sizeof(T)), "cudaMemset");
    return static_cast<T*>(address);
}

template <typename T>
T* on_device(const T* values, std::size_t count) {
    T* const address = on_device<T>(count);
    check(cudaMemcpy(address, values, count * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy to the device");
    return address;
}

template <typename T>
void to_host(T* values, const T* address, std::size_t count) {
    check(cudaMemcpy(values, address, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy to the host");
}

}  // namespace kymo_program
