#include "gpu/ptx/readable_name.h"

#include <cstdlib>
#include <cxxabi.h>

namespace kymo::gpu::ptx {

std::string readable_name(const std::string& name) {
    int why = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &why);
    if (why != 0 || text == nullptr) {
        return name;
    }
    std::string whole = text;
    std::free(text);
    // The arguments: the parentheses that the name ends with.
    int depth = 0;
    for (std::size_t i = whole.size(); i-- > 0;) {
        depth += whole[i] == ')' ? 1 : whole[i] == '(' ? -1 : 0;
        if (depth == 0) {
            whole.resize(whole[i] == '(' ? i : whole.size());
            break;
        }
    }
    // A template's name begins with its return type.
    if (whole.ends_with(">") && whole.starts_with("void ")) {
        whole.erase(0, 5);
    }
    return whole;
}

}  // namespace kymo::gpu::ptx
