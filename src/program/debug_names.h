// Functions, inlined chains and lines from DWARF for a batch of offsets of one image.
#pragma once

#include "program/code_names.h"

#include <elfutils/libdwfl.h>
#include <span>
#include <string>
#include <string_view>

namespace kymo::program {

struct DebugInfo {
    bool is_there = false;  // the module has some
    std::string missing;    // a file that part of it was moved to, and that cannot be found
};

// Fills `frames` of those offsets that debug information covers; for an offset that only the line table covers
// (assembly), or whose function has no name there, its file and line. `wanted` must ascend by offset. Cost: one
// walk over the top level of each touched unit, and of the functions that contain a wanted offset.
DebugInfo name_by_debug_info(Dwfl_Module* module, std::string_view module_name, std::span<Wanted> wanted,
                             CodeNames& names);

}  // namespace kymo::program
