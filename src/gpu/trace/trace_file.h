// Opening traces by name: one kernel's file in either form, or a `kernelslist.g` with its commands.
#pragma once

#include "gpu/trace/kernel.h"

#include <filesystem>

namespace kymo::gpu {

// Text (plain, xz, or compressed by warp) or compact, told apart by the first bytes. Errors: kNotFound, kPermission,
// kMalformed, …
Result<std::unique_ptr<KernelSource>> open_kernel(const std::filesystem::path& path);

// A line of a kernelslist.g.
struct ListCommand {
    enum class Kind : std::uint8_t { kKernel, kCopyToDevice } kind = Kind::kKernel;
    std::filesystem::path kernel;  // kKernel
    std::uint64_t address = 0;     // kCopyToDevice
    std::uint64_t bytes = 0;
};

// A kernelslist.g's commands, paths made relative to its folder; or one kKernel for any other file. A line that is
// none of "MemcpyHtoD,ADDRESS,BYTES" and a kernel's file name is an error that names the line; other Memcpy commands
// are passed over.
Result<std::vector<ListCommand>> open_list(const std::filesystem::path& path);

}  // namespace kymo::gpu
