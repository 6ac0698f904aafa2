// The options of verbs that replay or execute a kernel, and that kernel.
#pragma once

#include "cli/gpu/machine_code.h"
#include "cli/verbs.h"
#include "gpu/ptx/kernel_file.h"

#include <filesystem>
#include <memory>
#include <string>

namespace kymo::cli {

class PtxKernel {
  public:
    void add_to(CLI::App& app);
    const std::string& checks() const { return words_.checks; }
    const MachineCode& machine_code() const { return machine_code_; }
    // --machine-code, for verbs that model; before parse().
    void add_machine_code_to(CLI::App& app) { machine_code_.add_to(app); }
    // --values, for verbs that trace; before parse().
    void add_values_to(CLI::App& app);
    bool values() const { return words_.values; }
    // As gpu::ptx::KernelFile::open(), with what the options say. Prints what the kernel's printf writes, and why
    // machine code is not used.
    Result<std::unique_ptr<gpu::KernelSource>> open(const std::filesystem::path& path, gpu::Extent extent,
                                                    bool warm = false, const gpu::Gpu* gpu = nullptr);

    // Executes the kernel to its end; prints the checks' results to stderr. Returns the exit code.
    int finish();

  private:
    gpu::ptx::KernelWords words_;
    MachineCode machine_code_;
    gpu::ptx::KernelFile file_;
};

}  // namespace kymo::cli
