// Function names from ELF symbol tables, and function starts from call-frame information.
#pragma once

#include "program/code_names.h"

#include <elfutils/libdwfl.h>
#include <span>
#include <string_view>

namespace kymo::program {

// Gives one frame to every offset that has none and lies in a function symbol. Symbols without a size
// (hand-written assembly) reach to the next symbol or the section's end. Cost: one pass over the symbols, a binary
// search each. Returns false when the module has no function symbols at all.
bool name_by_symbols(Dwfl_Module* module, std::string_view module_name, std::span<Wanted> wanted, CodeNames& names);

// For offsets still without a frame: "module+0x<start of the function>", so that a stripped library's time is
// collected by function and not by instruction; "module+0x<offset>" if no frame description exists. `module` may
// be null.
void name_by_frames(Dwfl_Module* module, std::string_view module_name, std::span<Wanted> wanted, CodeNames& names);

}  // namespace kymo::program
