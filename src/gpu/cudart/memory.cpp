// Allocation. All memory belongs to this process, so device addresses are host addresses. The kind of each
// allocation is kept, because programs query it, and because a kernel may use only what the device can access.
#include "gpu/cudart/device.h"

#include <cstring>

namespace kymo::gpu::cudart {
namespace {

constexpr std::size_t kPitchAlignment = 512;

Status allocate(Device& device, void** address, std::size_t bytes, MemoryKind kind, unsigned flags = 0) {
    if (address == nullptr) {
        return Status::kInvalidValue;
    }
    if (bytes == 0) {
        *address = nullptr;
        return Status::kSuccess;
    }
    using Contents = ptx::DeviceMemory::Contents;
    const auto made =
        device.memory.allocate(bytes, kind == MemoryKind::kDevice ? Contents::kUnknown : Contents::kZero);
    if (!made) {
        return Status::kMemoryAllocation;
    }
    device.allocations[*made] = {kind, bytes, flags};
    *address = reinterpret_cast<void*>(*made);
    return Status::kSuccess;
}

Status release(Device& device, void* address, bool host) {
    if (address == nullptr) {
        return Status::kSuccess;
    }
    const auto found = device.allocations.find(reinterpret_cast<std::uint64_t>(address));
    if (found == device.allocations.end() || found->second.owner != Allocation::Owner::kRuntime ||
        (found->second.kind == MemoryKind::kHost) != host) {
        return Status::kInvalidValue;
    }
    if (!device.memory.free(found->first)) {
        return Status::kInvalidValue;
    }
    device.allocations.erase(found);
    return Status::kSuccess;
}

Status allocate_pitched(Device& device, PitchedPointer* pitched, std::size_t width, std::size_t rows) {
    std::size_t bytes = 0;
    if (__builtin_add_overflow(width, kPitchAlignment - 1, &pitched->pitch) ||
        __builtin_mul_overflow(pitched->pitch / kPitchAlignment * kPitchAlignment, rows, &bytes)) {
        return Status::kMemoryAllocation;
    }
    pitched->pitch = pitched->pitch / kPitchAlignment * kPitchAlignment;
    return allocate(device, &pitched->address, bytes, MemoryKind::kDevice);
}

}  // namespace

KYMO_CUDART Status cudaMalloc(void** address, std::size_t bytes) {
    return call([&](Device& device) { return allocate(device, address, bytes, MemoryKind::kDevice); });
}

KYMO_CUDART Status cudaMallocAsync(void** address, std::size_t bytes, Stream*) {
    return cudaMalloc(address, bytes);
}
KYMO_CUDART_ALSO(cudaMallocAsync_ptsz, cudaMallocAsync);

KYMO_CUDART Status cudaMallocManaged(void** address, std::size_t bytes, unsigned flags) {
    return call([&](Device& device) {
        return bytes == 0 ? Status::kInvalidValue : allocate(device, address, bytes, MemoryKind::kManaged, flags);
    });
}

KYMO_CUDART Status cudaMallocHost(void** address, std::size_t bytes) {
    return call([&](Device& device) { return allocate(device, address, bytes, MemoryKind::kHost); });
}

KYMO_CUDART Status cudaHostAlloc(void** address, std::size_t bytes, unsigned flags) {
    return call([&](Device& device) { return allocate(device, address, bytes, MemoryKind::kHost, flags); });
}

KYMO_CUDART Status cudaMallocPitch(void** address, std::size_t* pitch, std::size_t width, std::size_t height) {
    return call([&](Device& device) {
        if (address == nullptr || pitch == nullptr) {
            return Status::kInvalidValue;
        }
        PitchedPointer pitched{};
        const Status status = allocate_pitched(device, &pitched, width, height);
        *address = pitched.address;
        *pitch = pitched.pitch;
        return status;
    });
}

KYMO_CUDART Status cudaMalloc3D(PitchedPointer* pitched, Extent extent) {
    return call([&](Device& device) {
        if (pitched == nullptr) {
            return Status::kInvalidValue;
        }
        *pitched = {nullptr, 0, extent.width, extent.height};
        std::size_t rows = 0;
        return __builtin_mul_overflow(extent.height, extent.depth, &rows)
                   ? Status::kMemoryAllocation
                   : allocate_pitched(device, pitched, extent.width, rows);
    });
}

KYMO_CUDART Status cudaFree(void* address) {
    return call([&](Device& device) { return release(device, address, false); });
}

KYMO_CUDART Status cudaFreeAsync(void* address, Stream*) {
    return cudaFree(address);
}
KYMO_CUDART_ALSO(cudaFreeAsync_ptsz, cudaFreeAsync);

KYMO_CUDART Status cudaFreeHost(void* address) {
    return call([&](Device& device) { return release(device, address, true); });
}

KYMO_CUDART Status cudaHostRegister(void* address, std::size_t bytes, unsigned flags) {
    return call([&](Device& device) {
        if (address == nullptr || bytes == 0) {
            return Status::kInvalidValue;
        }
        if (device.find(address, 1) != nullptr) {
            return Status::kHostRegistered;
        }
        const auto at = reinterpret_cast<std::uint64_t>(address);
        device.memory.share(at, bytes);
        device.allocations[at] = {MemoryKind::kHost, bytes, flags, Allocation::Owner::kProgram};
        return Status::kSuccess;
    });
}

KYMO_CUDART Status cudaHostUnregister(void* address) {
    return call([&](Device& device) {
        const auto found = device.allocations.find(reinterpret_cast<std::uint64_t>(address));
        if (found == device.allocations.end() || found->second.owner != Allocation::Owner::kProgram) {
            return Status::kHostNotRegistered;
        }
        (void)device.memory.unshare(found->first);
        device.allocations.erase(found);
        return Status::kSuccess;
    });
}

KYMO_CUDART Status cudaHostGetDevicePointer(void** device_address, void* host, unsigned) {
    return call([&](Device& device) {
        if (device_address == nullptr || device.find(host, 1) == nullptr) {
            return Status::kInvalidValue;
        }
        *device_address = host;
        return Status::kSuccess;
    });
}

KYMO_CUDART Status cudaHostGetFlags(unsigned* flags, void* host) {
    return call([&](Device& device) {
        const Allocation* found = device.find(host, 1);
        if (flags == nullptr || found == nullptr || found->kind != MemoryKind::kHost) {
            return Status::kInvalidValue;
        }
        *flags = found->flags;
        return Status::kSuccess;
    });
}

KYMO_CUDART Status cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
    return call([&](Device& device) {
        if (free_bytes == nullptr || total == nullptr) {
            return Status::kInvalidValue;
        }
        *total = device.memory.most_bytes();
        *free_bytes = device.memory.most_bytes() - device.memory.used_bytes();
        return Status::kSuccess;
    });
}

KYMO_CUDART Status cudaPointerGetAttributes(PointerAttributes* attributes, const void* address) {
    return call([&](Device& device) {
        if (attributes == nullptr) {
            return Status::kInvalidValue;
        }
        void* const here = const_cast<void*>(address);
        const Allocation* found = device.find(address, 1);
        const MemoryKind kind = found != nullptr ? found->kind : MemoryKind::kUnregistered;
        const bool seen_by_host = kind == MemoryKind::kHost || kind == MemoryKind::kManaged;
        *attributes = {kind, kind == MemoryKind::kUnregistered ? -2 : 0, found != nullptr ? here : nullptr,
                       seen_by_host || found == nullptr ? here : nullptr};
        return Status::kSuccess;
    });
}

// Hints about the place of managed pages: there is only one place here.
KYMO_CUDART Status cudaMemPrefetchAsync() {
    return Status::kSuccess;
}
KYMO_CUDART_ALSO(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);
KYMO_CUDART_ALSO(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync);
KYMO_CUDART_ALSO(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync);
KYMO_CUDART_ALSO(cudaMemAdvise, cudaMemPrefetchAsync);
KYMO_CUDART_ALSO(cudaMemAdvise_v2, cudaMemPrefetchAsync);
KYMO_CUDART_ALSO(cudaStreamAttachMemAsync, cudaMemPrefetchAsync);
KYMO_CUDART_ALSO(cudaStreamAttachMemAsync_ptsz, cudaMemPrefetchAsync);

}  // namespace kymo::gpu::cudart
