// A kernel to replay or to execute: a trace's file, or one kernel of a PTX file with its launch.
#pragma once

#include "cli/gpu/machine_code.h"
#include "cli/verbs.h"
#include "gpu/ptx/execute/execute.h"
#include "gpu/trace/whole_launch.h"

#include <filesystem>
#include <string>
#include <vector>

namespace kymo::cli {

class PtxKernel {
  public:
    void add_to(CLI::App& app);
    const std::string& checks() const { return checks_; }
    const MachineCode& machine_code() const { return machine_code_; }
    // --machine-code, for verbs that model; before parse().
    void add_machine_code_to(CLI::App& app) { machine_code_.add_to(app); }
    // --values, for verbs that trace; before parse().
    void add_values_to(CLI::App& app);
    bool values() const { return values_; }
    // The kernel of a .ptx as --kernel, --grid, --block, --shared and --args launch it, or the trace in any other
    // file, checked against its launch according to `extent`. `warm`: it will be run twice; `gpu`: the GPU for
    // --machine-code. Valid as long as this object and until the next open().
    Result<std::unique_ptr<gpu::KernelSource>> open(const std::filesystem::path& path, gpu::Extent extent,
                                                    bool warm = false, const gpu::Gpu* gpu = nullptr);

    // Executes the kernel to its end; prints the checks' results to stderr. Returns the exit code.
    int finish();

  private:
    Result<std::string> only_kernel(const gpu::ptx::Module& module) const;

    std::string kernel_;
    std::string grid_ = "1";
    std::string block_ = "32";
    std::uint32_t shared_ = 0;
    std::vector<std::string> arguments_;
    std::string checks_;
    bool values_ = false;
    MachineCode machine_code_;
    std::unique_ptr<gpu::ptx::DeviceMemory> memory_;
    std::unique_ptr<gpu::ptx::LoadedModule> module_;
    gpu::ptx::Execution* execution_ = nullptr;  // of the last .ptx opened; the caller of open() owns it
};

}  // namespace kymo::cli
