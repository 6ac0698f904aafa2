// The binary interface of the CUDA runtime library, as far as it is implemented here: the calls of a program built
// by nvcc with `-cudart shared`. Numbers and layouts are facts of that interface (CUDA Runtime API documentation,
// 12 and 13); the declarations are our own.
#pragma once

#include "gpu/trace/kernel.h"

#include <cstddef>
#include <cstdint>

// A function of the interface. Everything else in the library is hidden.
#define KYMO_CUDART extern "C" __attribute__((visibility("default")))
// The same function under its name for per-thread default streams; streams run one after another here.
#define KYMO_CUDART_ALSO(name, other) \
    extern "C" __attribute__((visibility("default"), alias(#other))) decltype(other) name

namespace kymo::gpu::cudart {

// cudaError_t
enum class Status : int {
    kSuccess = 0,
    kInvalidValue = 1,
    kMemoryAllocation = 2,
    kInitialization = 3,
    kInvalidConfiguration = 9,
    kInvalidPitch = 12,
    kInvalidSymbol = 13,
    kInvalidDevicePointer = 17,
    kInvalidDirection = 21,
    kInvalidDeviceFunction = 98,
    kNoDevice = 100,
    kInvalidDevice = 101,
    kInvalidKernelImage = 200,
    kNoKernelImage = 209,
    kInvalidPtx = 218,
    kInvalidHandle = 400,
    kNotFound = 500,
    kNotReady = 600,
    kIllegalAddress = 700,
    kOutOfResources = 701,
    kTimeout = 702,
    kPeerAccessNotEnabled = 705,
    kAssertion = 710,
    kHostRegistered = 712,
    kHostNotRegistered = 713,
    kMisaligned = 716,
    kLaunchFailure = 719,
    kNotSupported = 801,
    kUnknown = 999,
};

// cudaMemcpyKind
enum class Direction : int { kHostToHost = 0, kToDevice = 1, kToHost = 2, kInDevice = 3, kByAddress = 4 };

// cudaMemoryType
enum class MemoryKind : int { kUnregistered = 0, kHost = 1, kDevice = 2, kManaged = 3 };

struct Stream;  // cudaStream_t points to one, or is 0, 1 or 2: the default streams
struct Event;   // cudaEvent_t
struct Kernel;  // cudaFunction_t, cudaKernel_t

struct Extent {  // cudaExtent
    std::size_t width;
    std::size_t height;
    std::size_t depth;
};

struct Position {  // cudaPos
    std::size_t x;
    std::size_t y;
    std::size_t z;
};

struct PitchedPointer {  // cudaPitchedPtr
    void* address;
    std::size_t pitch;
    std::size_t width;
    std::size_t height;
};

struct Copy3D {  // cudaMemcpy3DParms
    void* source_array;
    Position source_position;
    PitchedPointer source;
    void* destination_array;
    Position destination_position;
    PitchedPointer destination;
    Extent extent;
    Direction direction;
};

struct LaunchAttribute {  // cudaLaunchAttribute
    int id;
    int padding;
    union {
        int number;
        std::uint32_t dim[3];
        unsigned char bytes[64];
    } value;
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig {  // cudaLaunchConfig_t
    Dim3 grid;
    Dim3 block;
    std::size_t shared_bytes;
    Stream* stream;
    const LaunchAttribute* attributes;
    unsigned attribute_count;
};

struct FunctionAttributes {  // cudaFuncAttributes, without the reserved words at its end
    std::size_t shared_bytes;
    std::size_t constant_bytes;
    std::size_t local_bytes;
    int most_threads;
    int registers;
    int ptx_version;
    int binary_version;
    int cache_mode;
    int most_dynamic_shared;
    int shared_carveout;
    int cluster[4];
    int cluster_policy;
    int non_portable_cluster;
};

struct PointerAttributes {  // cudaPointerAttributes, without the reserved words at its end
    MemoryKind kind;
    int device;
    void* device_address;
    void* host_address;
};

}  // namespace kymo::gpu::cudart
