// Names of kernels and functions as their source has them.
#pragma once

#include <string>

namespace kymo::gpu::ptx {

// "vector_add" of "_Z10vector_addPKf": the name alone, with its template arguments. What is not mangled stays.
std::string readable_name(const std::string& name);

}  // namespace kymo::gpu::ptx
