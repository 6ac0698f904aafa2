// The functions that a program's file takes from its libraries.
#pragma once

#include <set>
#include <string>

namespace kymo::confirm {

// By their linkage names, without versions. Empty: the file cannot be read, is no ELF file, or takes none (a static
// program). Cost: reads the file.
std::set<std::string, std::less<>> imported_functions(const std::string& path);

}  // namespace kymo::confirm
