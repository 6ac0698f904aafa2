// Loads a library of Kymo on demand, since most commands do not need it and its dependencies.
#pragma once

#include "base/result.h"

#include <string>

namespace kymo::ring {

// libkymo-….so, beside the running executable as built or as installed; loaded once. `without`: the error if it is
// missing.
Result<void*> load_own_library(const char* name, const Error& without);

// A function of it; null: the library is of another version and lacks it.
void* function_of(void* library, const char* name);

}  // namespace kymo::ring
