// The kernels of the measured tables, executed from PTX instead of generated: vector_add, gemm, atax_row and
// atax_column, with the parameters of tests/programs/gpu/kernels/linear_algebra.cu.
//
// Contract: one thread; launches of one row are valid until those of the next row are requested.
#pragma once

#include "accuracy/accuracy.h"
#include "gpu/ptx/execute/execute.h"

#include <filesystem>

namespace kymo::gpu::ptx {

class MeasuredKernels {
  public:
    // Errors: those of parse_file(), and kNotFound where a kernel is not in the file.
    static Result<std::unique_ptr<MeasuredKernels>> open(const std::filesystem::path& ptx);
    // The names that it launches.
    static std::vector<std::string> names() { return {"vector_add", "gemm", "atax_row", "atax_column"}; }
    LoadedModule& module() { return *module_; }
    Result<std::vector<std::unique_ptr<KernelSource>>> launches(const AccuracyRow& row);

  private:
    MeasuredKernels() = default;
    // A buffer of the row's; those of the row before are freed by launches().
    Result<std::uint64_t> buffer(std::uint64_t floats);
    Result<void> add(const char* kernel, Dim3 grid, Dim3 block, std::vector<std::uint64_t> values,
                     std::vector<std::unique_ptr<KernelSource>>& made);

    DeviceMemory memory_;
    std::unique_ptr<LoadedModule> module_;
    std::vector<std::uint64_t> buffers_;
};

}  // namespace kymo::gpu::ptx
