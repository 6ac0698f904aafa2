// The properties of the GPU that a program can query.
#pragma once

#include "gpu/gpu_file.h"

#include <cstdint>
#include <optional>
#include <span>

namespace kymo::gpu::cudart {

// Shared memory of a kernel: by default, and at most after cudaFuncSetAttribute.
inline constexpr std::size_t kUsualShared = 48 * 1024;
std::size_t most_shared(const Gpu& gpu);

// The structure that cudaGetDeviceProperties fills in has another layout in each major version of CUDA.
enum class PropertiesLayout : std::uint8_t {
    kVersion11,  // also cudaGetDeviceProperties of 12
    kVersion12,  // cudaGetDeviceProperties_v2
    kVersion13,
};

// Fills `out` as far as there are fields; returns the number of bytes that the fields take.
std::size_t write_properties(const Gpu& gpu, PropertiesLayout layout, std::span<std::uint8_t> out);

// cudaDevAttr… by number; none: not an attribute.
std::optional<int> device_attribute(const Gpu& gpu, int attribute);

}  // namespace kymo::gpu::cudart
