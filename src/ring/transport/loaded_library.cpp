#include "ring/transport/loaded_library.h"

#include "base/own_program.h"

#include <dlfcn.h>
#include <filesystem>
#include <map>

namespace kymo::ring {

namespace fs = std::filesystem;

Result<void*> load_own_library(const char* name, const Error& without) {
    static std::map<std::string, void*> loaded;
    if (const auto known = loaded.find(name); known != loaded.end()) {
        return known->second;
    }
    std::error_code error;
    const fs::path prefix = own_prefix();
    std::string why;
    for (const char* folder : {"lib", "lib/kymo", "lib64/kymo"}) {
        const fs::path path = prefix / folder / name;
        if (!fs::exists(path, error)) {
            continue;
        }
        if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
            loaded[name] = library;
            return library;
        }
        why = dlerror();
    }
    return why.empty() ? without : Error{without.kind, std::string(name) + " cannot be loaded: " + why, without.next};
}

void* function_of(void* library, const char* name) {
    return dlsym(library, name);
}

}  // namespace kymo::ring
