// Opening traces by name: one kernel's file in either form, or a `kernelslist.g` with its commands.
#pragma once

#include "gpu/trace/whole_launch.h"

#include <filesystem>

namespace kymo::gpu {

// Text (plain, xz, or compressed by warp) or compact, recognised by the first bytes. Errors: kNotFound,
// kPermission, kMalformed, …; missing CTAs or warps of the launch are reported when they are reached.
Result<std::unique_ptr<KernelSource>> open_kernel(const std::filesystem::path& path, Extent extent = Extent::kWhole);

// A line of a kernelslist.g.
struct ListCommand {
    enum class Kind : std::uint8_t { kKernel, kCopyToDevice } kind = Kind::kKernel;
    std::filesystem::path kernel;  // kKernel
    std::uint64_t address = 0;     // kCopyToDevice
    std::uint64_t bytes = 0;
};

// A kernelslist.g's commands, paths made relative to its folder; or one kKernel for any other file. Other copies,
// fills and calls of the run time ("MemcpyDtoH,…", "cudaMalloc,…") are skipped: their time is not modelled. Any
// other line than "MemcpyHtoD,ADDRESS,BYTES" and a kernel's file name is an error that names it.
Result<std::vector<ListCommand>> open_list(const std::filesystem::path& path);

}  // namespace kymo::gpu
