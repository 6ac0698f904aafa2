// Which device, what it is, and waiting for it.
#include "gpu/cudart/launch.h"
#include "gpu/cudart/properties.h"

#include <cstdio>
#include <cstring>

namespace kymo::gpu::cudart {
namespace {

constexpr int kRuntimeVersion = KYMO_CUDART_VERSION * 1000;
constexpr const char* kBusId = "0000:00:00.0";

template <typename Value>
Status tell(Value* told, Value value) {
    return call([&](Device&) {
        if (told == nullptr) {
            return Status::kInvalidValue;
        }
        *told = value;
        return Status::kSuccess;
    });
}

Status of_device(int device) {
    return call([&](Device&) { return device == 0 ? Status::kSuccess : Status::kInvalidDevice; });
}

Status properties(void* out, int number, PropertiesLayout layout) {
    return call([&](Device& device) {
        if (out == nullptr) {
            return Status::kInvalidValue;
        }
        if (number != 0) {
            return Status::kInvalidDevice;
        }
        constexpr std::size_t kEnough = 4096;  // the fields end far before
        (void)write_properties(device.gpu, layout, {static_cast<std::uint8_t*>(out), kEnough});
        return Status::kSuccess;
    });
}

}  // namespace

KYMO_CUDART Status cudaGetDeviceCount(int* count) {
    return tell(count, 1);
}
KYMO_CUDART Status cudaGetDevice(int* device) {
    return tell(device, 0);
}
KYMO_CUDART Status cudaSetDevice(int device) {
    return of_device(device);
}
KYMO_CUDART Status cudaInitDevice(int device, unsigned, unsigned) {
    return of_device(device);
}
KYMO_CUDART Status cudaChooseDevice(int* device, const void*) {
    return tell(device, 0);
}
KYMO_CUDART Status cudaSetValidDevices(int*, int) {
    return of_device(0);
}
KYMO_CUDART Status cudaGetDeviceFlags(unsigned* flags) {
    return tell(flags, 0U);
}
KYMO_CUDART Status cudaSetDeviceFlags(unsigned) {
    return of_device(0);
}
KYMO_CUDART Status cudaDeviceCanAccessPeer(int* can, int, int) {
    return tell(can, 0);
}
KYMO_CUDART Status cudaDeviceEnablePeerAccess(int, unsigned) {
    return call([](Device&) { return Status::kInvalidDevice; });
}
KYMO_CUDART Status cudaDeviceDisablePeerAccess(int) {
    return call([](Device&) { return Status::kPeerAccessNotEnabled; });
}
KYMO_CUDART Status cudaRuntimeGetVersion(int* version) {
    return tell(version, kRuntimeVersion);
}
KYMO_CUDART Status cudaDriverGetVersion(int* version) {
    return tell(version, kRuntimeVersion);
}

#if KYMO_CUDART_VERSION >= 13
KYMO_CUDART Status cudaGetDeviceProperties(void* out, int device) {
    return properties(out, device, PropertiesLayout::kVersion13);
}
#else
KYMO_CUDART Status cudaGetDeviceProperties(void* out, int device) {
    return properties(out, device, PropertiesLayout::kVersion11);
}
KYMO_CUDART Status cudaGetDeviceProperties_v2(void* out, int device) {
    return properties(out, device, PropertiesLayout::kVersion12);
}
#endif

KYMO_CUDART Status cudaDeviceGetAttribute(int* value, int attribute, int number) {
    return call([&](Device& device) {
        const auto found = device_attribute(device.gpu, attribute);
        if (value == nullptr || !found) {
            return Status::kInvalidValue;
        }
        if (number != 0) {
            return Status::kInvalidDevice;
        }
        *value = *found;
        return Status::kSuccess;
    });
}

KYMO_CUDART Status cudaDeviceGetPCIBusId(char* text, int length, int device) {
    if (text != nullptr && length > 0) {
        (void)std::snprintf(text, static_cast<std::size_t>(length), "%s", kBusId);
    }
    return of_device(device);
}

KYMO_CUDART Status cudaDeviceGetByPCIBusId(int* device, const char* text) {
    return text != nullptr && std::strcmp(text, kBusId) == 0 ? tell(device, 0)
                                                             : call([](Device&) { return Status::kInvalidDevice; });
}

// Launches have ended when they return.
KYMO_CUDART Status cudaDeviceSynchronize() {
    return of_device(0);
}
KYMO_CUDART_ALSO(cudaThreadSynchronize, cudaDeviceSynchronize);
KYMO_CUDART_ALSO(cudaDeviceFlushGPUDirectRDMAWrites, cudaDeviceSynchronize);
KYMO_CUDART_ALSO(cudaProfilerStart, cudaDeviceSynchronize);
KYMO_CUDART_ALSO(cudaProfilerStop, cudaDeviceSynchronize);
KYMO_CUDART_ALSO(cudaCtxResetPersistingL2Cache, cudaDeviceSynchronize);

// Frees what the program has allocated, and clears a kernel's fault.
KYMO_CUDART Status cudaDeviceReset() {
    const std::lock_guard<std::recursive_mutex> guard(Device::lock());
    if (Device* const device = Device::get(); device != nullptr) {
        for (const auto& [address, allocation] : device->allocations) {
            if (allocation.owner == Allocation::Owner::kProgram) {
                (void)device->memory.unshare(address);
            } else if (allocation.owner == Allocation::Owner::kRuntime) {
                (void)device->memory.free(address);
            }
        }
        std::erase_if(device->allocations,
                      [](const auto& entry) { return entry.second.owner != Allocation::Owner::kModule; });
        device->failed = Status::kSuccess;
    }
    return Status::kSuccess;
}
KYMO_CUDART_ALSO(cudaThreadExit, cudaDeviceReset);

// Limits and cache preferences are ignored, because the model does not depend on them.
KYMO_CUDART Status cudaDeviceSetLimit(int, std::size_t) {
    return of_device(0);
}
KYMO_CUDART Status cudaDeviceGetLimit(std::size_t* value, int limit) {
    constexpr int kStack = 0;
    constexpr int kPrintf = 1;
    constexpr std::size_t kStackBytes = 1024;
    constexpr std::size_t kPrintfBytes = 1 << 20;
    return tell(value, limit == kStack ? kStackBytes : limit == kPrintf ? kPrintfBytes : std::size_t{8} << 20U);
}
KYMO_CUDART Status cudaDeviceSetCacheConfig(int) {
    return of_device(0);
}
KYMO_CUDART Status cudaDeviceGetCacheConfig(int* config) {
    return tell(config, 0);
}
KYMO_CUDART Status cudaDeviceSetSharedMemConfig(int) {
    return of_device(0);
}
KYMO_CUDART Status cudaDeviceGetSharedMemConfig(int* config) {
    return tell(config, 1);
}

}  // namespace kymo::gpu::cudart
