#include "gpu/cudart/copies.h"

#include <cstring>

namespace kymo::gpu::cudart {
namespace {

char* at(void* address, std::size_t offset) {
    return static_cast<char*>(address) + offset;
}

// Whether the device can access all of the bytes.
bool on_device(const Device& device, const void* address, std::size_t bytes) {
    return device.memory.find(reinterpret_cast<std::uint64_t>(address), bytes).has_value();
}

// Bytes from the first byte to behind the last of such rows; the most there can be where they are more.
std::size_t span_of(std::size_t pitch, std::size_t width, std::size_t rows) {
    std::size_t bytes = 0;
    const bool too_many = rows != 0 && (__builtin_mul_overflow(pitch, rows - 1, &bytes) ||
                                        __builtin_add_overflow(bytes, width, &bytes));
    return too_many ? ~std::size_t{0} : bytes;
}

bool known(Direction direction) {
    return direction >= Direction::kHostToHost && direction <= Direction::kByAddress;
}

Status check(const Device& device, const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes,
             Direction direction) {
    if (!known(direction)) {
        return Status::kInvalidDirection;
    }
    const bool to_device = direction == Direction::kToDevice || direction == Direction::kInDevice;
    const bool from_device = direction == Direction::kToHost || direction == Direction::kInDevice;
    if (to == nullptr || from == nullptr || (to_device && !on_device(device, to, to_bytes)) ||
        (from_device && !on_device(device, from, from_bytes))) {
        return Status::kInvalidValue;
    }
    return Status::kSuccess;
}

void wrote(Device& device, const void* address, std::size_t bytes) {
    device.memory.wrote(reinterpret_cast<std::uint64_t>(address), bytes);
}

Status fill_rows(Device& device, void* address, std::size_t pitch, int value, std::size_t width, std::size_t rows) {
    if (width == 0 || rows == 0) {
        return Status::kSuccess;
    }
    if (pitch < width && rows > 1) {
        return Status::kInvalidPitch;
    }
    if (!on_device(device, address, span_of(pitch, width, rows))) {
        return Status::kInvalidValue;
    }
    for (std::size_t row = 0; row < rows; ++row) {
        std::memset(at(address, row * pitch), value, width);
        wrote(device, at(address, row * pitch), width);
    }
    return Status::kSuccess;
}

}  // namespace

Status copy(Device& device, void* to, const void* from, std::size_t bytes, Direction direction) {
    if (bytes == 0) {
        return known(direction) ? Status::kSuccess : Status::kInvalidDirection;
    }
    const Status status = check(device, to, bytes, from, bytes, direction);
    if (status == Status::kSuccess) {
        std::memmove(to, from, bytes);
        wrote(device, to, bytes);
    }
    return status;
}

Status copy_rows(Device& device, PitchedPointer to, PitchedPointer from, std::size_t width, std::size_t rows,
                 Direction direction) {
    if (width == 0 || rows == 0) {
        return Status::kSuccess;
    }
    if (rows > 1 && (to.pitch < width || from.pitch < width)) {
        return Status::kInvalidPitch;
    }
    const Status status = check(device, to.address, span_of(to.pitch, width, rows), from.address,
                                span_of(from.pitch, width, rows), direction);
    for (std::size_t row = 0; status == Status::kSuccess && row < rows; ++row) {
        std::memmove(at(to.address, row * to.pitch), at(from.address, row * from.pitch), width);
        wrote(device, at(to.address, row * to.pitch), width);
    }
    return status;
}

KYMO_CUDART Status cudaMemcpy(void* to, const void* from, std::size_t bytes, Direction direction) {
    return call([&](Device& device) { return copy(device, to, from, bytes, direction); });
}
KYMO_CUDART_ALSO(cudaMemcpy_ptds, cudaMemcpy);

KYMO_CUDART Status cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, Direction direction, Stream*) {
    return cudaMemcpy(to, from, bytes, direction);
}
KYMO_CUDART_ALSO(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

// There is only one device, so a peer is the device itself.
KYMO_CUDART Status cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
    return call([&](Device& device) {
        return to_device != 0 || from_device != 0 ? Status::kInvalidDevice
                                                  : copy(device, to, from, bytes, Direction::kInDevice);
    });
}

KYMO_CUDART Status cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                       Stream*) {
    return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}

KYMO_CUDART Status cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                std::size_t width, std::size_t height, Direction direction) {
    return call([&](Device& device) {
        return copy_rows(device, {to, to_pitch, width, height}, {const_cast<void*>(from), from_pitch, width, height},
                         width, height, direction);
    });
}
KYMO_CUDART_ALSO(cudaMemcpy2D_ptds, cudaMemcpy2D);

KYMO_CUDART Status cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                     std::size_t width, std::size_t height, Direction direction, Stream*) {
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, direction);
}
KYMO_CUDART_ALSO(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

KYMO_CUDART Status cudaMemcpy3D(const Copy3D* told) {
    return call([&](Device& device) {
        if (told == nullptr) {
            return Status::kInvalidValue;
        }
        if (told->source_array != nullptr || told->destination_array != nullptr) {
            device.job.problem({ErrorKind::kUnsupported, "cudaMemcpy3D with arrays is not served",
                                "docs/gpu-programs.md lists what is supported"});
            return Status::kNotSupported;
        }
        const auto slice = [](const PitchedPointer& of, const Position& position, std::size_t z) {
            PitchedPointer moved = of;
            moved.address = at(of.address, ((position.z + z) * of.height + position.y) * of.pitch + position.x);
            return moved;
        };
        for (std::size_t z = 0; z < told->extent.depth; ++z) {
            const Status status = copy_rows(device, slice(told->destination, told->destination_position, z),
                                            slice(told->source, told->source_position, z), told->extent.width,
                                            told->extent.height, told->direction);
            if (status != Status::kSuccess) {
                return status;
            }
        }
        return Status::kSuccess;
    });
}
KYMO_CUDART_ALSO(cudaMemcpy3D_ptds, cudaMemcpy3D);

KYMO_CUDART Status cudaMemcpy3DAsync(const Copy3D* told, Stream*) {
    return cudaMemcpy3D(told);
}
KYMO_CUDART_ALSO(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);

KYMO_CUDART Status cudaMemset(void* address, int value, std::size_t bytes) {
    return call([&](Device& device) { return fill_rows(device, address, bytes, value, bytes, 1); });
}
KYMO_CUDART_ALSO(cudaMemset_ptds, cudaMemset);

KYMO_CUDART Status cudaMemsetAsync(void* address, int value, std::size_t bytes, Stream*) {
    return cudaMemset(address, value, bytes);
}
KYMO_CUDART_ALSO(cudaMemsetAsync_ptsz, cudaMemsetAsync);

KYMO_CUDART Status cudaMemset2D(void* address, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return call([&](Device& device) { return fill_rows(device, address, pitch, value, width, height); });
}
KYMO_CUDART_ALSO(cudaMemset2D_ptds, cudaMemset2D);

KYMO_CUDART Status cudaMemset2DAsync(void* address, std::size_t pitch, int value, std::size_t width,
                                     std::size_t height, Stream*) {
    return cudaMemset2D(address, pitch, value, width, height);
}
KYMO_CUDART_ALSO(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

KYMO_CUDART Status cudaMemset3D(PitchedPointer pitched, int value, Extent extent) {
    return call([&](Device& device) {
        for (std::size_t z = 0; z < extent.depth; ++z) {
            const Status status = fill_rows(device, at(pitched.address, z * pitched.height * pitched.pitch),
                                            pitched.pitch, value, extent.width, extent.height);
            if (status != Status::kSuccess) {
                return status;
            }
        }
        return Status::kSuccess;
    });
}
KYMO_CUDART_ALSO(cudaMemset3D_ptds, cudaMemset3D);

KYMO_CUDART Status cudaMemset3DAsync(PitchedPointer pitched, int value, Extent extent, Stream*) {
    return cudaMemset3D(pitched, value, extent);
}
KYMO_CUDART_ALSO(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);

}  // namespace kymo::gpu::cudart
