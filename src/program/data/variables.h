// The variables of an image, by name.
#pragma once

#include "program/data/data_place.h"

#include <elfutils/libdwfl.h>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::program {

struct Variable {
    std::string name;     // with its scopes
    std::string linkage;  // name for the linker
    Dwarf_Die die{};
    Dwarf_Off unit = 0;  // where it is defined, as is its file
    std::string file;
    bool is_external = false;
};

// Those that are defined in the image and whose last name is that of `name`, and whose scopes end in those of it.
// Cost: a walk over the top level of all units.
std::vector<Variable> variables_named(Dwfl_Module* module, std::string_view name);

// Its place, without its image. Empty: `place` is set. Otherwise why not, in words that follow its name.
std::string locate(const Variable& variable, Dwfl_Module* module, DataPlace& place);

// Whether the first read is in the loaded part of the image, or in its part of a thread's storage.
bool is_inside(Dwfl_Module* module, const DataPlace& place);

// The unit that holds an image offset; 0 and no unit where none does.
bool unit_at(Dwfl_Module* module, std::uint64_t offset, Dwarf_Die* unit, Dwarf_Addr* bias);

}  // namespace kymo::program
