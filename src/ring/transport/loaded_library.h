// A library of Kymo's own that is loaded when it is needed, since most verbs can do without what it brings along.
#pragma once

#include "base/result.h"

#include <string>

namespace kymo::ring {

// libkymo-….so, beside the running executable as built or as installed; loaded once. `without`: what is told where
// there is none.
Result<void*> load_own_library(const char* name, const Error& without);

// A function of it; null: it lacks what this version needs.
void* function_of(void* library, const char* name);

}  // namespace kymo::ring
