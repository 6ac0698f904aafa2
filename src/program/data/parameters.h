// What a name means in a function's code, before it can mean a variable of the program: a parameter, or something
// that cannot be read.
#pragma once

#include "program/data/data_place.h"

#include <elfutils/libdwfl.h>
#include <optional>
#include <string>

namespace kymo::program {

struct NamedInCode {
    std::optional<Dwarf_Die> parameter;  // of a function that is entered: it is in the register of `place`
    DataPlace place;
    std::string problem;  // why it cannot be read, in words that follow its name; empty otherwise
};

// Nothing but empty values: the name has no such meaning there. `offset`: in the image.
NamedInCode find_in_code(Dwfl_Module* module, std::uint64_t offset, const std::string& name, DataScope::Kind kind);

}  // namespace kymo::program
