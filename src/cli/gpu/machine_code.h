// --machine-code: the schedule of kernels executed from PTX is that of their machine code.
#pragma once

#include "cli/verbs.h"
#include "gpu/gpu_file.h"
#include "gpu/ptx/execute/execute.h"

#include <filesystem>
#include <string>
#include <vector>

namespace kymo::cli {

class MachineCode {
  public:
    void add_to(CLI::App& app);
    bool wanted() const { return !whence_.empty(); }
    bool is_auto() const { return whence_ == "auto"; }
    // Joins the kernels to their machine code. If ptxas is missing or a kernel cannot be joined, a line on stderr
    // reports it, and the estimate stays. Errors: those of a cubin that was named.
    Result<void> use(gpu::ptx::LoadedModule& module, const std::filesystem::path& ptx, const gpu::Gpu& gpu,
                     const std::vector<std::string>& kernels) const;

  private:
    std::string whence_;
};

}  // namespace kymo::cli
