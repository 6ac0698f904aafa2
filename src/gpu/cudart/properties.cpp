#include "gpu/cudart/properties.h"

#include "gpu/trace/kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kymo::gpu::cudart {
namespace {

constexpr int kMostInt = 0x7FFF'FFFF;
constexpr int kMostGridYZ = 65535;
constexpr unsigned kChannelBits = 64;

int whole(double value) {
    return static_cast<int>(std::lround(std::min(value, double{kMostInt})));
}

// Reports a memory clock and width whose product, which programs compute, is the bandwidth of the model: 2 × clock
// × width / 8.
int memory_width(const Gpu& gpu) {
    return whole(gpu.dram_channels * kChannelBits);
}
int memory_khz(const Gpu& gpu) {
    return whole(gpu.dram_bandwidth * 1e6 * 8 / 2 / memory_width(gpu));
}

struct Value {
    std::uint8_t bytes;  // of one element: 1, 4 or 8
    std::uint16_t count;
    std::uint64_t value;        // the first element; the others are 0
    bool only_to_12 = false;    // gone in 13
    bool only_from_12 = false;  // not in 11
};

// The structure's fields in order. Version 13 has removed some; bytes behind the listed fields are left as the
// caller set them.
std::vector<Value> fields(const Gpu& gpu) {
    const auto capability = static_cast<unsigned>(std::lround(gpu.capability * 10));
    const unsigned major = capability / 10;
    const unsigned minor = capability % 10;
    const auto number = [](double value) { return static_cast<std::uint64_t>(value); };
    const auto integer = [&](double value) { return Value{4, 1, number(value)}; };
    const auto size = [&](double value) { return Value{8, 1, number(value)}; };
    const auto zeros = [](std::uint16_t count) { return Value{4, count, 0}; };
    const auto to_12 = [&](double value) { return Value{4, 1, number(value), true, false}; };
    const auto from_12 = [&](double value) { return Value{4, 1, number(value), false, true}; };
    return {
        {1, 256, 0},  // name
        {1, 16, 0},   // uuid
        {1, 8, 0},    // luid
        integer(0),   // luidDeviceNodeMask
        size(gpu.dram_size),
        size(double{kUsualShared}),
        integer(gpu.sm_registers),  // regsPerBlock
        integer(kWarpLanes),
        size(kMostInt),  // memPitch
        integer(1024),   // maxThreadsPerBlock
        integer(1024),   // maxThreadsDim
        integer(1024),
        integer(64),
        integer(kMostInt),  // maxGridSize
        integer(kMostGridYZ),
        integer(kMostGridYZ),
        to_12(gpu.boost.mhz * 1000),  // clockRate
        size(65536),                  // totalConstMem
        integer(major),
        integer(minor),
        size(512),  // textureAlignment
        size(32),   // texturePitchAlignment
        to_12(1),   // deviceOverlap
        integer(gpu.sms),
        to_12(0),              // kernelExecTimeoutEnabled
        integer(0),            // integrated
        integer(1),            // canMapHostMemory
        to_12(0),              // computeMode
        zeros(2),              // maxTexture1D, 1DMipmap: textures are not served
        to_12(0),              // maxTexture1DLinear
        zeros(2 + 2 + 3 + 2),  // maxTexture2D, 2DMipmap, 2DLinear, 2DGather
        zeros(3 + 3 + 1),      // maxTexture3D, 3DAlt, Cubemap
        zeros(2 + 3 + 2),      // maxTexture1DLayered, 2DLayered, CubemapLayered
        zeros(1 + 2 + 3),      // maxSurface1D, 2D, 3D
        zeros(2 + 3 + 1 + 2),  // maxSurface1DLayered, 2DLayered, Cubemap, CubemapLayered
        size(512),             // surfaceAlignment
        integer(1),            // concurrentKernels
        integer(1),            // ECCEnabled
        zeros(3),              // pciBusID, pciDeviceID, pciDomainID
        integer(0),            // tccDriver
        integer(2),            // asyncEngineCount
        integer(1),            // unifiedAddressing
        to_12(memory_khz(gpu)),
        integer(memory_width(gpu)),
        integer(gpu.l2_size),
        integer(0),  // persistingL2CacheMaxSize
        integer(gpu.sm_warps * kWarpLanes),
        integer(1),  // streamPrioritiesSupported
        integer(1),  // globalL1CacheSupported
        integer(1),  // localL1CacheSupported
        size(gpu.sm_shared_bytes),
        integer(gpu.sm_registers),
        integer(1),  // managedMemory
        zeros(2),    // isMultiGpuBoard, its group
        integer(0),  // hostNativeAtomicSupported
        to_12(gpu.interval[static_cast<std::size_t>(OpClass::kFp64)] /
              gpu.interval[static_cast<std::size_t>(OpClass::kFp32)]),  // singleToDoublePrecision…
        integer(0),                                                     // pageableMemoryAccess
        integer(1),                                                     // concurrentManagedAccess
        integer(1),                                                     // computePreemptionSupported
        integer(1),                                                     // canUseHostPointer…
        integer(0),                                                     // cooperativeLaunch
        to_12(0),                                                       // cooperativeMultiDeviceLaunch
        size(static_cast<double>(most_shared(gpu))),                    // sharedMemPerBlockOptin
        zeros(2),                                                       // pageable…, directManaged…
        integer(gpu.sm_ctas),
        integer(0),  // accessPolicyMaxWindowSize
        size(gpu.shared_reserved),
        from_12(1),               // hostRegisterSupported
        {4, 11, 0, false, true},  // sparse arrays … clusters
    };
}

}  // namespace

std::size_t most_shared(const Gpu& gpu) {
    return static_cast<std::size_t>(gpu.sm_shared_bytes - gpu.shared_reserved);
}

std::size_t write_properties(const Gpu& gpu, PropertiesLayout layout, std::span<std::uint8_t> out) {
    std::size_t at = 0;
    for (const Value& field : fields(gpu)) {
        if ((field.only_to_12 && layout == PropertiesLayout::kVersion13) ||
            (field.only_from_12 && layout == PropertiesLayout::kVersion11)) {
            continue;
        }
        at = (at + field.bytes - 1) / field.bytes * field.bytes;
        const std::size_t end = at + static_cast<std::size_t>(field.bytes) * field.count;
        if (end > out.size()) {
            break;
        }
        std::memset(out.data() + at, 0, end - at);
        std::memcpy(out.data() + at, &field.value, field.bytes);
        at = end;
    }
    constexpr std::size_t kNameBytes = 256;
    if (out.size() >= kNameBytes) {
        const std::size_t length = std::min(gpu.full_name.size(), kNameBytes - 1);
        std::memcpy(out.data(), gpu.full_name.data(), length);
        out[length] = 0;
    }
    return at;
}

std::optional<int> device_attribute(const Gpu& gpu, int attribute) {
    constexpr int kMostAttribute = 160;
    const auto capability = static_cast<int>(std::lround(gpu.capability * 10));
    switch (attribute) {
        case 1:  // MaxThreadsPerBlock
        case 2:  // MaxBlockDimX
        case 3:
            return 1024;
        case 4:
            return 64;
        case 5:  // MaxGridDimX
            return kMostInt;
        case 6:
        case 7:
            return kMostGridYZ;
        case 8:  // MaxSharedMemoryPerBlock
            return static_cast<int>(kUsualShared);
        case 9:  // TotalConstantMemory
            return 65536;
        case 10:  // WarpSize
            return static_cast<int>(kWarpLanes);
        case 11:  // MaxPitch
            return kMostInt;
        case 12:  // MaxRegistersPerBlock
        case 82:  // MaxRegistersPerMultiprocessor
            return whole(gpu.sm_registers);
        case 13:  // ClockRate
            return whole(gpu.boost.mhz * 1000);
        case 14:  // TextureAlignment
        case 30:  // SurfaceAlignment
            return 512;
        case 51:  // TexturePitchAlignment
            return 32;
        case 16:  // MultiProcessorCount
            return whole(gpu.sms);
        case 36:  // MemoryClockRate
            return memory_khz(gpu);
        case 37:  // GlobalMemoryBusWidth
            return memory_width(gpu);
        case 38:  // L2CacheSize
            return whole(gpu.l2_size);
        case 39:  // MaxThreadsPerMultiProcessor
            return whole(gpu.sm_warps * kWarpLanes);
        case 40:  // AsyncEngineCount
            return 2;
        case 75:  // ComputeCapabilityMajor
            return capability / 10;
        case 76:
            return capability % 10;
        case 81:  // MaxSharedMemoryPerMultiprocessor
            return whole(gpu.sm_shared_bytes);
        case 87:  // SingleToDoublePrecisionPerfRatio
            return whole(gpu.interval[static_cast<std::size_t>(OpClass::kFp64)] /
                         gpu.interval[static_cast<std::size_t>(OpClass::kFp32)]);
        case 97:  // MaxSharedMemoryPerBlockOptin
            return static_cast<int>(most_shared(gpu));
        case 106:  // MaxBlocksPerMultiprocessor
            return whole(gpu.sm_ctas);
        case 111:  // ReservedSharedMemoryPerBlock
            return whole(gpu.shared_reserved);
        case 15:  // GpuOverlap
        case 19:  // CanMapHostMemory
        case 31:  // ConcurrentKernels
        case 32:  // EccEnabled
        case 41:  // UnifiedAddressing
        case 78:  // StreamPrioritiesSupported
        case 79:  // GlobalL1CacheSupported
        case 80:  // LocalL1CacheSupported
        case 83:  // ManagedMemory
        case 89:  // ConcurrentManagedAccess
        case 90:  // ComputePreemptionSupported
        case 91:  // CanUseHostPointerForRegisteredMem
        case 99:  // HostRegisterSupported
            return 1;
        default:
            // Everything else that a GPU may have (textures, cooperative launches, memory pools …) is not
            // implemented.
            return attribute >= 1 && attribute <= kMostAttribute ? std::optional<int>(0) : std::nullopt;
    }
}

}  // namespace kymo::gpu::cudart
