// Kernels of a PTX file joined to their machine code: their schedule is then that of the code.
#pragma once

#include "gpu/gpu_file.h"
#include "gpu/ptx/execute/execute.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::gpu::ptx {

// Where machine code comes from: ptxas makes it of the PTX; any other text names a cubin.
inline constexpr std::string_view kMadeByPtxas = "auto";

// Joins these kernels of the module, which was loaded from the file `ptx`. Where ptxas is missing or a kernel cannot
// be joined, its schedule stays an estimate, and `remark` receives why. Errors: those of a cubin that was named
// (machine_code_in()). Cost: a run of ptxas, a second or so.
Result<void> join_code(LoadedModule& module, const std::filesystem::path& ptx, const std::string& whence,
                       const Gpu& gpu, const std::vector<std::string>& kernels,
                       const std::function<void(const Error&)>& remark);

}  // namespace kymo::gpu::ptx
