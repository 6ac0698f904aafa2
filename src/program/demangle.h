// Source-level names from linker names.
#pragma once

#include <string>
#include <string_view>

namespace kymo::program {

// Itanium C++ names (and Rust's older ones, which have the same shape, without their hash). Anything else,
// and what is too long to be demangled safely, is given back as it is.
std::string demangle(const char* mangled);

// The name without parameter list, return type and long template arguments, for people who read a
// table: "std::vector<int, std::allocator<int> >::push_back(int const&)" → "std::vector<…>::push_back" when
// `max_template` characters of arguments are exceeded. Operators and "(anonymous namespace)" survive.
std::string short_name(std::string_view name, std::size_t max_template = 16);

// The same for sentences and tables: without unnamed namespaces, too. "(anonymous namespace)::step(int)" is "step".
// What compilers make of a parallel region's code is called so: "step(int) [clone ._omp_fn.0]" (GCC) and
// "step.omp_outlined" (Clang) are "parallel region in step".
std::string plain_name(std::string_view name);

}  // namespace kymo::program
