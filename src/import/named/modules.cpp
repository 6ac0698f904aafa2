#include "import/named/modules.h"

#include <algorithm>
#include <array>

namespace kymo::import::named {
namespace {

// Names in brackets that are of the process; all others are of the kernel and its modules.
constexpr std::array<std::string_view, 10> kOfProcess = {"[vdso]",    "[vdso32]",   "[vdsox32]", "[vsyscall]",
                                                         "[vectors]", "[stack]",    "[heap]",    "[unknown]",
                                                         "[uprobes]", "[generated]"};
constexpr std::array<std::string_view, 4> kModuleEndings = {".ko", ".ko.gz", ".ko.xz", ".ko.zst"};

}  // namespace

bool is_kernel_module(std::string_view module) {
    if (module.starts_with('[')) {
        const std::string_view name = module.substr(0, module.find(']') + 1);
        return name.size() > 2 && !name.starts_with("[anon") && !name.starts_with("[stack:") &&
               std::find(kOfProcess.begin(), kOfProcess.end(), name) == kOfProcess.end();
    }
    const std::string_view file = module.substr(module.rfind('/') + 1);
    return file == "vmlinux" || file.starts_with("vmlinux-") || file.starts_with("bpf_prog_") ||
           std::any_of(kModuleEndings.begin(), kModuleEndings.end(),
                       [&](std::string_view ending) { return file.ends_with(ending); });
}

}  // namespace kymo::import::named
