#include "gpu/ptx/joined_code.h"

#include "gpu/ptx/schedule/ptxas.h"

#include <cmath>
#include <fstream>
#include <iterator>

namespace kymo::gpu::ptx {

Result<void> join_code(LoadedModule& module, const std::filesystem::path& ptx, const std::string& whence,
                       const Gpu& gpu, const std::vector<std::string>& kernels,
                       const std::function<void(const Error&)>& remark) {
    const bool made = whence == kMadeByPtxas;
    std::ifstream in(ptx, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto code =
        made ? assemble(text, static_cast<unsigned>(std::lround(gpu.capability * 10))) : machine_code_in(whence);
    if (!code) {
        if (!made) {
            return code.error();
        }
        remark(code.error());
        return {};
    }
    for (const std::string& kernel : kernels) {
        const auto found = code->find(kernel);
        if (found == code->end()) {
            remark({ErrorKind::kNotFound, kernel + ": is not in the machine code",
                    "its schedule is estimated from the PTX"});
        } else if (auto used = module.use_machine_code(kernel, found->second); !used) {
            remark(used.error());
        }
    }
    return {};
}

}  // namespace kymo::gpu::ptx
