// Functions, inlined chains and lines of Go programs from Go's own function table, which is there in stripped ones
// too.
//
// Read in layouts since Go 1.2; inlined calls since Go 1.18. Never throws for what a file contains.
#pragma once

#include "program/code_names.h"
#include "program/frame_starts.h"

#include <elfutils/libdwfl.h>
#include <span>
#include <string_view>
#include <vector>

namespace kymo::program {

// Gives frames to every offset that has none and lies in a Go function. False: the module has no such table, or none
// that is understood. Cost: one pass over the program's data, then for each offset one over its function's lines.
bool name_by_go_table(Dwfl_Module* module, std::string_view module_name, std::span<Wanted> wanted, CodeNames& names);

// The functions of the table, ascending; empty: none. Cost: as above, and 16 bytes a function.
std::vector<FrameExtent> go_extents(Dwfl_Module* module);

}  // namespace kymo::program
