#include "accuracy/measured_kernels.h"

#include "gpu/ptx/parse/parse.h"

#include <bit>
#include <cstring>

namespace kymo::gpu::ptx {

Result<std::unique_ptr<MeasuredKernels>> MeasuredKernels::open(const std::filesystem::path& ptx) {
    auto module = parse_file(ptx);
    if (!module) {
        return module.error();
    }
    std::unique_ptr<MeasuredKernels> made(new MeasuredKernels());
    auto loaded = LoadedModule::load(*module, made->memory_);
    if (!loaded) {
        return loaded.error();
    }
    made->module_ = std::move(*loaded);
    for (const std::string& kernel : names()) {
        if (auto facts = made->module_->facts(kernel); !facts) {
            return facts.error();
        }
    }
    return made;
}

Result<std::uint64_t> MeasuredKernels::buffer(std::uint64_t floats) {
    auto address = memory_.allocate(floats * sizeof(float));
    if (address) {
        buffers_.push_back(*address);
    }
    return address;
}

Result<void> MeasuredKernels::add(const char* kernel, Dim3 grid, Dim3 block, std::vector<std::uint64_t> values,
                                  std::vector<std::unique_ptr<KernelSource>>& made) {
    const Function& function = *module_->module().function(kernel);
    std::vector<std::uint8_t> parameters(function.parameter_bytes);
    for (std::size_t i = 0; i < values.size() && i < function.parameters.size(); ++i) {
        std::memcpy(parameters.data() + function.parameters[i].offset, &values[i], function.parameters[i].bytes);
    }
    ExecuteOptions options;
    options.again = true;  // what it computes does not matter, and addresses do not depend on it
    auto execution = module_->launch(kernel, {grid, block, 0, std::move(parameters)}, std::move(options));
    if (!execution) {
        return execution.error();
    }
    made.push_back(std::move(*execution));
    return {};
}

Result<std::vector<std::unique_ptr<KernelSource>>> MeasuredKernels::launches(const AccuracyRow& row) {
    for (const std::uint64_t address : buffers_) {
        memory_.free(address);
    }
    buffers_.clear();
    std::vector<std::unique_ptr<KernelSource>> made;
    const std::uint32_t size = row_parameter(row, "size");
    const std::uint32_t width = row_parameter(row, "blockDimX");
    const std::uint64_t square = std::uint64_t{size} * size;
    constexpr std::uint32_t kThreads = 256;
    const auto ctas = [&](std::uint32_t threads) { return (size + threads - 1) / threads; };
    constexpr std::uint64_t kAlpha = std::bit_cast<std::uint32_t>(32'412.0F);
    constexpr std::uint64_t kBeta = std::bit_cast<std::uint32_t>(2'123.0F);
    std::array<std::uint64_t, 3> at{};
    const auto buffers = [&](std::array<std::uint64_t, 3> floats) -> Result<void> {
        for (std::size_t i = 0; i < at.size(); ++i) {
            auto address = buffer(floats[i]);
            if (!address) {
                return address.error();
            }
            at[i] = *address;
        }
        return {};
    };
    Result<void> good;
    if (row.benchmark == "vectoradd" && size != 0) {
        good = buffers({size, size, size});
        if (good) {
            good = add("vector_add", {ctas(kThreads)}, {kThreads}, {at[0], at[1], at[2], size}, made);
        }
    } else if (row.benchmark == "gemm" && size != 0 && size <= 4096 && width != 0 && width <= 32) {
        good = buffers({square, square, square});
        if (good) {
            good = add("gemm", {ctas(width), ctas(width)}, {width, width},
                       {size, size, size, kAlpha, kBeta, at[0], at[1], at[2]}, made);
        }
    } else if (row.benchmark == "atax" && size != 0 && size <= 8192 && width != 0 && width <= 1024) {
        good = buffers({square, size, size});
        if (good) {
            good = add("atax_row", {ctas(width)}, {width}, {size, size, at[0], at[1], at[2]}, made);
        }
        if (good) {
            good = add("atax_column", {ctas(width)}, {width}, {size, size, at[0], at[1], at[2]}, made);
        }
    }
    if (!good) {
        return good.error();
    }
    return made;
}

}  // namespace kymo::gpu::ptx
