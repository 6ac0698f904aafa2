// The C library's functions of mathematics: their results depend on their arguments alone.
//
// Compilers know that as well, but leave their calls in a loop whose stores may change the arguments in memory, and
// in functions of their own.
#pragma once

#include "program/flow/repeated/function_effects.h"

#include <string_view>

namespace kymo::program {

// "pow" of "pow", "powf", "pow@plt", or of the names that glibc gives it for some processors ("__pow_fma",
// "__ieee754_pow_sse2"); empty: none of them.
std::string_view math_function(std::string_view symbol);

// What a call of it does, on x86-64 (System V ABI); null: none of them. Of `long double` nothing is known, as it is
// passed in memory.
const FunctionEffects* math_effects(std::string_view symbol);

}  // namespace kymo::program
