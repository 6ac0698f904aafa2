#include "gpu/ptx/kernel_file.h"

#include "gpu/ptx/check/check.h"
#include "gpu/ptx/joined_code.h"
#include "gpu/ptx/parse/arguments.h"
#include "gpu/ptx/parse/parse.h"
#include "gpu/trace/trace_file.h"

#include <fmt/format.h>
#include <utility>

namespace kymo::gpu::ptx {
namespace {

// The kernel of that name, or the only one.
Result<std::string> chosen_kernel(const Module& module, const std::string& named) {
    std::string names;
    std::string last = named;
    std::size_t count = 0;
    for (const Function& function : module.functions) {
        if (function.is_kernel) {
            names += (count++ == 0 ? "" : ", ") + function.name;
            last = named.empty() ? function.name : named;
        }
    }
    if (named.empty() && count != 1) {
        return Error{ErrorKind::kUsage, fmt::format("{}: {} kernels, and none is named", module.name, count),
                     "choose with --kernel: " + names};
    }
    return last;
}

}  // namespace

Result<std::unique_ptr<KernelSource>> KernelFile::open(const std::filesystem::path& path, const KernelWords& words,
                                                       const KernelSettings& settings) {
    execution_ = nullptr;
    has_checks_ = !words.checks.empty();
    const auto checks = checks_from(words.checks);
    if (!checks) {
        return checks.error();
    }
    if (path.extension() != ".ptx") {
        if (checks->any()) {
            return Error{ErrorKind::kUsage, path.string() + " is a trace: nothing is executed that could be checked",
                         "--check is for a .ptx, or a program after --"};
        }
        if (words.values) {
            return Error{ErrorKind::kUsage,
                         path.string() + " is a trace: what values it holds are copied as they are",
                         "--values is for a .ptx, or a program after --"};
        }
        if (!words.machine_code.empty()) {
            return Error{ErrorKind::kUsage, path.string() + " is a trace: it has machine code's instructions already",
                         "--machine-code is for a .ptx, or a program after --"};
        }
        return open_kernel(path, settings.extent);
    }
    auto module = parse_file(path);
    if (!module) {
        return module.error();
    }
    module_.reset();
    memory_ = std::make_unique<DeviceMemory>();
    auto loaded = LoadedModule::load(*module, *memory_);
    if (!loaded) {
        return loaded.error();
    }
    module_ = std::move(*loaded);
    const auto kernel = chosen_kernel(**module, words.kernel);
    const auto grid = dim_from(words.grid);
    const auto block = dim_from(words.block);
    if (!kernel || !grid || !block) {
        return !kernel ? kernel.error() : !grid ? grid.error() : block.error();
    }
    if (auto known = module_->facts(*kernel); !known) {
        return known.error();
    }
    auto parameters = parameters_from(*(*module)->function(*kernel), words.arguments, *memory_);
    if (!parameters) {
        return parameters.error();
    }
    if (settings.gpu != nullptr && !words.machine_code.empty()) {
        if (auto used = join_code(*module_, path, words.machine_code, *settings.gpu, {*kernel}, settings.remark);
            !used) {
            return used.error();
        }
    }
    ExecuteOptions options;
    options.keep = settings.warm;
    options.checks = *checks;
    options.values = words.values;
    options.print = settings.print;
    auto execution =
        module_->launch(*kernel, {*grid, *block, words.shared, std::move(*parameters)}, std::move(options));
    if (!execution) {
        return execution.error();
    }
    execution_ = execution->get();
    return std::unique_ptr<KernelSource>(std::move(*execution));
}

std::vector<Error> KernelFile::finish() {
    std::vector<Error> found;
    if (execution_ == nullptr || !has_checks_) {
        return found;
    }
    if (auto done = execution_->finish(); !done) {
        found.push_back(done.error());
    }
    for (const Defect& defect : execution_->defects()) {
        found.push_back(error_of(defect));
    }
    return found;
}

}  // namespace kymo::gpu::ptx
