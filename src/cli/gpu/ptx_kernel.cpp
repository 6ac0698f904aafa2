#include "cli/gpu/ptx_kernel.h"

#include "gpu/ptx/parse/arguments.h"
#include "gpu/ptx/parse/parse.h"
#include "gpu/trace/trace_file.h"

#include <fmt/format.h>

namespace kymo::cli {

void PtxKernel::add_to(CLI::App& app) {
    app.add_option("--kernel", kernel_, "of a .ptx: the kernel, if there are several")->type_name("NAME");
    app.add_option("--grid", grid_, "of a .ptx: CTAs, as 64 or 8,8,1")->type_name("X,Y,Z")->capture_default_str();
    app.add_option("--block", block_, "of a .ptx: threads a CTA")->type_name("X,Y,Z")->capture_default_str();
    app.add_option("--shared", shared_, "of a .ptx: dynamic shared memory, bytes a CTA")->type_name("BYTES");
    app.add_option("--args", arguments_,
                   "of a .ptx: one word a parameter: 12, 0.5, f32[1000]=random, s32[64]=index, u8[9]=@FILE")
        ->type_name("WORD…");
    app.add_option("--check", checks_,
                   "of what is executed here: initialised, races, barriers, or several with commas")
        ->type_name("CHECKS");
}

void PtxKernel::add_values_to(CLI::App& app) {
    app.add_flag("--values", values_,
                 "of what is executed here: also what each lane's registers held, before and after each instruction");
}

Result<std::string> PtxKernel::only_kernel(const gpu::ptx::Module& module) const {
    std::string names;
    std::string last = kernel_;
    std::size_t count = 0;
    for (const gpu::ptx::Function& function : module.functions) {
        if (function.is_kernel) {
            names += (count++ == 0 ? "" : ", ") + function.name;
            last = kernel_.empty() ? function.name : kernel_;
        }
    }
    if (kernel_.empty() && count != 1) {
        return Error{ErrorKind::kUsage, fmt::format("{}: {} kernels, and none is named", module.name, count),
                     "choose with --kernel: " + names};
    }
    return last;
}

Result<std::unique_ptr<gpu::KernelSource>> PtxKernel::open(const std::filesystem::path& path, gpu::Extent extent,
                                                           bool warm, const gpu::Gpu* gpu) {
    execution_ = nullptr;
    const auto checks = gpu::ptx::checks_from(checks_);
    if (!checks) {
        return checks.error();
    }
    if (path.extension() != ".ptx") {
        if (checks->any()) {
            return Error{ErrorKind::kUsage, path.string() + " is a trace: nothing is executed that could be checked",
                         "--check is for a .ptx, or a program after --"};
        }
        if (values_) {
            return Error{ErrorKind::kUsage,
                         path.string() + " is a trace: what values it holds are copied as they are",
                         "--values is for a .ptx, or a program after --"};
        }
        if (machine_code_.wanted()) {
            return Error{ErrorKind::kUsage, path.string() + " is a trace: it has machine code's instructions already",
                         "--machine-code is for a .ptx, or a program after --"};
        }
        return gpu::open_kernel(path, extent);
    }
    auto module = gpu::ptx::parse_file(path);
    if (!module) {
        return module.error();
    }
    module_.reset();
    memory_ = std::make_unique<gpu::ptx::DeviceMemory>();
    auto loaded = gpu::ptx::LoadedModule::load(*module, *memory_);
    if (!loaded) {
        return loaded.error();
    }
    module_ = std::move(*loaded);
    const auto kernel = only_kernel(**module);
    const auto grid = gpu::ptx::dim_from(grid_);
    const auto block = gpu::ptx::dim_from(block_);
    if (!kernel || !grid || !block) {
        return !kernel ? kernel.error() : !grid ? grid.error() : block.error();
    }
    if (auto known = module_->facts(*kernel); !known) {
        return known.error();
    }
    auto parameters = gpu::ptx::parameters_from(*(*module)->function(*kernel), arguments_, *memory_);
    if (!parameters) {
        return parameters.error();
    }
    if (gpu != nullptr) {
        if (auto used = machine_code_.use(*module_, path, *gpu, {*kernel}); !used) {
            return used.error();
        }
    }
    gpu::ptx::ExecuteOptions options;
    options.keep = warm;
    options.checks = *checks;
    options.values = values_;
    options.print = [](std::string_view text) { fmt::print("{}", text); };
    auto execution = module_->launch(*kernel, {*grid, *block, shared_, std::move(*parameters)}, std::move(options));
    if (!execution) {
        return execution.error();
    }
    execution_ = execution->get();
    return std::unique_ptr<gpu::KernelSource>(std::move(*execution));
}

int PtxKernel::finish() {
    int code = 0;
    if (execution_ == nullptr || checks_.empty()) {
        return code;
    }
    if (auto done = execution_->finish(); !done) {
        code = fail(done.error());
    }
    for (const gpu::ptx::Defect& defect : execution_->defects()) {
        code = fail(error_of(defect));
    }
    return code;
}

}  // namespace kymo::cli
