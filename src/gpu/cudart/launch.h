// One launch: the kernel executed, and its time modelled while it is.
#pragma once

#include "gpu/cudart/device.h"
#include "gpu/cudart/properties.h"

namespace kymo::gpu::cudart {

// `kernel` null: not registered. Errors as cudaLaunchKernel's. A fault in the kernel is not an error of the launch
// but of later calls, as on a real GPU.
Status launch(Device& device, Kernel* kernel, Dim3 grid, Dim3 block, void** arguments, std::size_t shared_bytes);

// Whether all attributes of the launch have an effect here, or need none; reports those that are not implemented.
bool launch_attributes_served(Device& device, const LaunchConfig& config);

// The header that occupancy() needs for a kernel with blocks of `threads` threads.
struct KernelShape {
    KernelHeader header;
    std::uint32_t local_bytes = 0;
    std::uint32_t most_threads = 0;
    unsigned ptx_version = 0;
    unsigned binary_version = 0;
};
std::optional<KernelShape> shape_of(Device& device, Kernel& kernel, Status& why);

}  // namespace kymo::gpu::cudart
