// Functions, inlined chains and lines from DWARF for a batch of offsets of one image.
#pragma once

#include "program/code_names.h"

#include <elfutils/libdwfl.h>
#include <span>
#include <string_view>

namespace kymo::program {

// Fills `frames` of those offsets that debug information covers; where only the line table knows an
// offset (assembly), its file and line. `wanted` must ascend by offset. Cost: one walk over the top level
// of each touched unit, and of the functions that hold a wanted offset.
// Returns false when the module has no debug information at all.
bool name_by_debug_info(Dwfl_Module* module, std::string_view module_name, std::span<Wanted> wanted,
                        CodeNames& names);

}  // namespace kymo::program
