#include "cli/gpu/machine_code.h"

#include "gpu/ptx/schedule/ptxas.h"

#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace kymo::cli {
namespace {

void say_estimated(const Error& why) {
    fmt::print(stderr, "kymo: {} ({})\n", why.what, why.next);
}

}  // namespace

void MachineCode::add_to(CLI::App& app) {
    app.add_option("--machine-code", whence_,
                   "of PTX: issue as its machine code does, which ptxas makes (auto) or a cubin has (its file)")
        ->type_name("auto|FILE");
}

Result<void> MachineCode::use(gpu::ptx::LoadedModule& module, const std::filesystem::path& ptx, const gpu::Gpu& gpu,
                              const std::vector<std::string>& kernels) const {
    if (!wanted()) {
        return {};
    }
    std::ifstream in(ptx, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto code = is_auto() ? gpu::ptx::assemble(text, static_cast<unsigned>(std::lround(gpu.capability * 10)))
                                : gpu::ptx::machine_code_in(whence_);
    if (!code) {
        if (!is_auto()) {
            return code.error();
        }
        say_estimated(code.error());
        return {};
    }
    for (const std::string& kernel : kernels) {
        const auto found = code->find(kernel);
        if (found == code->end()) {
            say_estimated({ErrorKind::kNotFound, kernel + ": is not in the machine code",
                           "its schedule is estimated from the PTX"});
        } else if (auto used = module.use_machine_code(kernel, found->second); !used) {
            say_estimated(used.error());
        }
    }
    return {};
}

}  // namespace kymo::cli
