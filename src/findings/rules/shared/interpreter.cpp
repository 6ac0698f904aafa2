#include "findings/rules/shared/interpreter.h"

#include <cctype>
#include <string_view>

namespace kymo::findings {
namespace {

// CPython's program or library: python3.11, libpython3.11.so.1.0.
bool is_python(std::string_view module) {
    constexpr std::string_view kLibrary = "lib";
    constexpr std::string_view kName = "python";
    if (module.starts_with(kLibrary)) {
        module.remove_prefix(kLibrary.size());
    }
    return module.starts_with(kName) &&
           (module.size() == kName.size() || std::isdigit(static_cast<unsigned char>(module[kName.size()])) != 0);
}

}  // namespace

bool is_interpreter_lock(const spacetime::WaitTarget& target) {
    return target.kind == recording::WaitKind::kCondition && is_python(target.place.module);
}

}  // namespace kymo::findings
