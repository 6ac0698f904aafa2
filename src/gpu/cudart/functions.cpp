// Questions about kernels: attributes, names, and how many CTAs fit an SM.
#include "gpu/cudart/launch.h"
#include "gpu/cudart/registry.h"
#include "gpu/model/occupancy.h"

namespace kymo::gpu::cudart {
namespace {

template <typename Function>
Status of_kernel(const void* host, Function&& function) {
    return call([&](Device& device) {
        Kernel* const kernel = Registry::get().kernel(host);
        if (kernel == nullptr) {
            return Status::kInvalidDeviceFunction;
        }
        Status why = Status::kSuccess;
        const auto shape = shape_of(device, *kernel, why);
        return shape ? function(device, *kernel, *shape) : why;
    });
}

// CTAs of `threads` threads that an SM holds; 0 where none fits.
unsigned resident(const Device& device, KernelShape shape, int threads, std::size_t dynamic_shared) {
    shape.header.block = {static_cast<std::uint32_t>(threads), 1, 1};
    shape.header.shared_bytes += static_cast<std::uint32_t>(dynamic_shared);
    const auto fits = occupancy(device.gpu, shape.header);
    return fits ? fits->ctas : 0;
}

bool sound(const KernelShape& shape, int threads) {
    return threads >= 1 && static_cast<std::uint32_t>(threads) <= shape.most_threads;
}

}  // namespace

KYMO_CUDART Status cudaFuncGetAttributes(FunctionAttributes* attributes, const void* host) {
    return of_kernel(host, [&](Device& device, const Kernel& kernel, const KernelShape& shape) {
        if (attributes == nullptr) {
            return Status::kInvalidValue;
        }
        *attributes = {};
        attributes->shared_bytes = shape.header.shared_bytes;
        attributes->local_bytes = shape.local_bytes;
        attributes->most_threads = static_cast<int>(shape.most_threads);
        attributes->registers = static_cast<int>(shape.header.registers);
        attributes->ptx_version = static_cast<int>(shape.ptx_version);
        attributes->binary_version = static_cast<int>(shape.binary_version);
        const std::size_t usual = kUsualShared - std::min<std::size_t>(kUsualShared, shape.header.shared_bytes);
        attributes->most_dynamic_shared =
            static_cast<int>(kernel.dynamic_shared != 0 ? kernel.dynamic_shared : usual);
        attributes->shared_carveout = -1;
        (void)device;
        return Status::kSuccess;
    });
}

KYMO_CUDART Status cudaFuncSetAttribute(const void* host, int attribute, int value) {
    constexpr int kMostDynamicShared = 8;
    constexpr int kSharedCarveout = 9;
    return of_kernel(host, [&](Device& device, Kernel& kernel, const KernelShape& shape) {
        if (attribute == kMostDynamicShared) {
            if (value < 0 || static_cast<std::size_t>(value) + shape.header.shared_bytes > most_shared(device.gpu)) {
                return Status::kInvalidValue;
            }
            kernel.dynamic_shared = static_cast<std::uint32_t>(value);
            return Status::kSuccess;
        }
        if (attribute == kSharedCarveout) {  // a hint
            return Status::kSuccess;
        }
        device.job.problem({ErrorKind::kUnsupported,
                            "cudaFuncSetAttribute: attribute " + std::to_string(attribute) + " is not served",
                            "docs/gpu-programs.md lists what is supported"});
        return Status::kNotSupported;
    });
}

// Ignored hints about caches and banks: the model uses the kernel's own accesses.
KYMO_CUDART Status cudaFuncSetCacheConfig(const void* host, int) {
    return of_kernel(host, [](Device&, const Kernel&, const KernelShape&) { return Status::kSuccess; });
}
KYMO_CUDART_ALSO(cudaFuncSetSharedMemConfig, cudaFuncSetCacheConfig);

KYMO_CUDART Status cudaFuncGetName(const char** name, const void* host) {
    return of_kernel(host, [&](Device&, const Kernel& kernel, const KernelShape&) {
        if (name != nullptr) {
            *name = kernel.name.c_str();
        }
        return name != nullptr ? Status::kSuccess : Status::kInvalidValue;
    });
}

KYMO_CUDART Status cudaGetFuncBySymbol(Kernel** kernel, const void* host) {
    return call([&](Device&) {
        Kernel* const found = Registry::get().kernel(host);
        if (kernel != nullptr) {
            *kernel = found;
        }
        return kernel == nullptr  ? Status::kInvalidValue
               : found == nullptr ? Status::kInvalidDeviceFunction
                                  : Status::kSuccess;
    });
}
KYMO_CUDART_ALSO(cudaGetKernel, cudaGetFuncBySymbol);

KYMO_CUDART Status cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* ctas, const void* host, int threads,
                                                                          std::size_t dynamic_shared, unsigned) {
    return of_kernel(host, [&](Device& device, const Kernel&, const KernelShape& shape) {
        if (ctas == nullptr || !sound(shape, threads)) {
            return Status::kInvalidValue;
        }
        *ctas = static_cast<int>(resident(device, shape, threads, dynamic_shared));
        return Status::kSuccess;
    });
}

KYMO_CUDART Status cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* ctas, const void* host, int threads,
                                                                 std::size_t dynamic_shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ctas, host, threads, dynamic_shared, 0);
}

KYMO_CUDART Status cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* host, int ctas,
                                                             int threads) {
    return of_kernel(host, [&](Device& device, const Kernel&, const KernelShape& shape) {
        if (bytes == nullptr || ctas < 1 || !sound(shape, threads)) {
            return Status::kInvalidValue;
        }
        const Gpu& gpu = device.gpu;
        const double share = std::floor(gpu.sm_shared_bytes / ctas / gpu.shared_granularity) * gpu.shared_granularity;
        const double left = share - gpu.shared_reserved - shape.header.shared_bytes;
        *bytes = static_cast<std::size_t>(
            std::clamp(left, 0.0, static_cast<double>(most_shared(gpu)) - shape.header.shared_bytes));
        return Status::kSuccess;
    });
}

}  // namespace kymo::gpu::cudart
