// Source-level names from linker names.
#pragma once

#include <string>
#include <string_view>

namespace kymo::program {

// Does a linker name look like one of C++ (Itanium: _Z) or of Rust (v0: _R)?
bool is_mangled(std::string_view name);

// C++ names (Itanium) and Rust's, of both its manglings, without their hashes. Any other name, or one too long to
// be demangled safely, is returned unchanged; a name that expands to more than 64 KiB is cut there and ends in
// "…".
std::string demangle(const char* mangled);

// The name without parameter list, return type and long template arguments, for display in tables:
// "std::vector<int, std::allocator<int> >::push_back(int const&)" → "std::vector<…>::push_back" when
// `max_template` characters of arguments are exceeded. Operators and "(anonymous namespace)" survive.
std::string short_name(std::string_view name, std::size_t max_template = 16);

// The same for sentences and tables: without unnamed namespaces, too. "(anonymous namespace)::step(int)" is "step".
// What compilers make of a parallel region's code is called so: "step(int) [clone ._omp_fn.0]" (GCC) and
// "step.omp_outlined" (Clang) are "parallel region in step".
std::string plain_name(std::string_view name);
// Whether it is such a region's.
bool is_parallel_region(std::string_view name);

}  // namespace kymo::program
