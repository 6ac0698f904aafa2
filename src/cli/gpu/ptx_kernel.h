// A kernel to replay or to execute: a trace's file, or one kernel of a PTX file with how it is launched.
#pragma once

#include "cli/verbs.h"
#include "gpu/ptx/execute.h"

#include <filesystem>
#include <string>
#include <vector>

namespace kymo::cli {

class PtxKernel {
  public:
    void add_to(CLI::App& app);
    // The kernel of a .ptx as --kernel, --grid, --block, --shared and --args launch it, or the trace in any other
    // file. `warm`: it will be run twice. Valid as long as this object and until the next open().
    Result<std::unique_ptr<gpu::KernelSource>> open(const std::filesystem::path& path, bool warm = false);

  private:
    Result<std::string> only_kernel(const gpu::ptx::Module& module) const;

    std::string kernel_;
    std::string grid_ = "1";
    std::string block_ = "32";
    std::uint32_t shared_ = 0;
    std::vector<std::string> arguments_;
    std::unique_ptr<gpu::ptx::DeviceMemory> memory_;
    std::unique_ptr<gpu::ptx::LoadedModule> module_;
};

}  // namespace kymo::cli
