// The one GPU that programs see: its parameters, its memory, its modelled clock, and its errors.
//
// Contract: Device::get() makes it at the first call that needs it. It is never destroyed, since programs call
// CUDA from their exit handlers. One lock, which call() takes, guards everything: launches run one after another,
// in the order of their calls, whatever their streams; CUDA allows this order.
//
// A kernel's fault is sticky as on a real GPU: every later call returns it.
#pragma once

#include "gpu/cudart/abi.h"
#include "gpu/cudart/job.h"
#include "gpu/model/memory_system.h"
#include "gpu/ptx/execute/device_memory.h"

#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>

namespace kymo::gpu::cudart {

struct Allocation {
    MemoryKind kind = MemoryKind::kDevice;
    std::uint64_t bytes = 0;
    unsigned flags = 0;
    // kProgram: registered by cudaHostRegister; kModule: a __managed__ variable. cudaFree accepts neither.
    enum class Owner : std::uint8_t { kRuntime, kProgram, kModule } owner = Owner::kRuntime;
};

class Device {
  public:
    // Null: the GPU could not be made; the reason has been reported.
    static Device* get();

    Job job;
    Gpu gpu;
    unsigned capability = 0;  // 80: compute capability 8.0
    ptx::DeviceMemory memory;
    std::map<std::uint64_t, Allocation> allocations;  // by address
    MemorySystem caches;                              // the L2, from launch to launch
    double now_us = 0;                                // on the modelled clock: all launches so far
    std::uint64_t launches = 0;
    Status failed = Status::kSuccess;

    const LaunchCosts& costs() const { return job.options().profiled ? gpu.profiled : gpu.boost; }
    // The allocation that contains all of these bytes; null: none.
    const Allocation* find(const void* address, std::size_t bytes, std::uint64_t* begin = nullptr) const;

    static std::recursive_mutex& lock();
    static Status& last_error();  // of this thread

  private:
    Device(Job told, Gpu which);
};

// One call of the interface: under the lock, on the device, recording an error for cudaGetLastError. No exception
// leaves it, since the callers are C.
template <typename Function>
Status call(Function&& function) {
    Status status = Status::kInitialization;
    try {
        const std::lock_guard<std::recursive_mutex> guard(Device::lock());
        if (Device* device = Device::get(); device != nullptr) {
            status = device->failed != Status::kSuccess ? device->failed : function(*device);
        }
    } catch (const std::bad_alloc&) {
        status = Status::kMemoryAllocation;
    } catch (...) {
        status = Status::kUnknown;
    }
    if (status != Status::kSuccess && status != Status::kNotReady) {
        Device::last_error() = status;
    }
    return status;
}

}  // namespace kymo::gpu::cudart
