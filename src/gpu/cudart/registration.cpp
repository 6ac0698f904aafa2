// What nvcc's start-up code calls before main(), and for every <<<…>>>.
#include "gpu/cudart/device.h"
#include "gpu/cudart/launch.h"
#include "gpu/cudart/registry.h"

#include <vector>

namespace kymo::gpu::cudart {
namespace {

struct Configuration {
    Dim3 grid;
    Dim3 block;
    std::size_t shared_bytes = 0;
    Stream* stream = nullptr;
};

std::vector<Configuration>& configurations() {
    thread_local std::vector<Configuration> pushed;
    return pushed;
}

FatBinary* binary_of(void** handle) {
    return reinterpret_cast<FatBinary*>(handle);
}

}  // namespace

KYMO_CUDART void** __cudaRegisterFatBinary(void* wrapper) {
    const std::lock_guard<std::recursive_mutex> guard(Device::lock());
    return reinterpret_cast<void**>(Registry::get().add(wrapper));
}

KYMO_CUDART void __cudaRegisterFatBinaryEnd(void**) {}

KYMO_CUDART void __cudaUnregisterFatBinary(void** handle) {
    const std::lock_guard<std::recursive_mutex> guard(Device::lock());
    Registry::get().remove(binary_of(handle));
}

KYMO_CUDART void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, void*, void*,
                                        void*, void*, int*) {
    const std::lock_guard<std::recursive_mutex> guard(Device::lock());
    Registry::get().add_kernel(binary_of(handle), host, name);
}

KYMO_CUDART void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t bytes, int,
                                   int) {
    const std::lock_guard<std::recursive_mutex> guard(Device::lock());
    Registry::get().add_symbol(binary_of(handle), host, name, bytes, nullptr);
}

KYMO_CUDART void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, std::size_t bytes,
                                          int, int) {
    const std::lock_guard<std::recursive_mutex> guard(Device::lock());
    Registry::get().add_symbol(binary_of(handle), static_cast<const void*>(host), name, bytes, host);
}

// The program is about to read a managed variable on the host.
KYMO_CUDART char __cudaInitModule(void**) {
    const Status status = call([](Device& device) {
        Registry::get().load_managed(device);
        return Status::kSuccess;
    });
    return status == Status::kSuccess ? 1 : 0;
}

KYMO_CUDART unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared_bytes, Stream* stream) {
    configurations().push_back({grid, block, shared_bytes, stream});
    return 0;
}

KYMO_CUDART Status __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared_bytes, void* stream) {
    if (configurations().empty()) {
        return Status::kUnknown;
    }
    const Configuration top = configurations().back();
    configurations().pop_back();
    *grid = top.grid;
    *block = top.block;
    *shared_bytes = top.shared_bytes;
    *static_cast<Stream**>(stream) = top.stream;
    return Status::kSuccess;
}

KYMO_CUDART Status __cudaGetKernel(Kernel** kernel, const void* host) {
    const std::lock_guard<std::recursive_mutex> guard(Device::lock());
    *kernel = Registry::get().kernel(host);
    return *kernel != nullptr ? Status::kSuccess : Status::kInvalidDeviceFunction;
}

KYMO_CUDART Status __cudaLaunchKernel(Kernel* kernel, Dim3 grid, Dim3 block, void** arguments,
                                      std::size_t shared_bytes, Stream*) {
    return call([&](Device& device) { return launch(device, kernel, grid, block, arguments, shared_bytes); });
}
KYMO_CUDART_ALSO(__cudaLaunchKernel_ptsz, __cudaLaunchKernel);

KYMO_CUDART Status cudaLaunchKernel(const void* host, Dim3 grid, Dim3 block, void** arguments,
                                    std::size_t shared_bytes, Stream*) {
    return call([&](Device& device) {
        return launch(device, Registry::get().kernel(host), grid, block, arguments, shared_bytes);
    });
}
KYMO_CUDART_ALSO(cudaLaunchKernel_ptsz, cudaLaunchKernel);

KYMO_CUDART Status cudaLaunchKernelExC(const LaunchConfig* config, const void* host, void** arguments) {
    return call([&](Device& device) {
        if (config == nullptr) {
            return Status::kInvalidValue;
        }
        if (!launch_attributes_served(device, *config)) {
            return Status::kNotSupported;
        }
        return launch(device, Registry::get().kernel(host), config->grid, config->block, arguments,
                      config->shared_bytes);
    });
}
KYMO_CUDART_ALSO(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);

}  // namespace kymo::gpu::cudart
