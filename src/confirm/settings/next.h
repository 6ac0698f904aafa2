// The library's own function of a name, where the dynamic linker has found ours first.
#pragma once

#include <dlfcn.h>

namespace kymo::settings {

// Null: there is none. `library`: where a program has loaded it later, it is not behind us but has to be asked.
template <typename Function>
Function next(const char* name, const char* library) {
    void* found = dlsym(RTLD_NEXT, name);
    if (found == nullptr) {
        void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        found = loaded != nullptr ? dlsym(loaded, name) : nullptr;
    }
    return reinterpret_cast<Function>(found);
}

}  // namespace kymo::settings
