// The parameters of a function, at its entry.
#pragma once

#include "program/data/data_place.h"

#include <elfutils/libdwfl.h>
#include <optional>
#include <string>

namespace kymo::program {

// The function's parameter of that name: empty and `die` none where it has no such one, or the function is not known.
// Empty with `die`: it is in the register of `place.argument`. Otherwise why it is in none, in words that follow its
// name.
std::string find_parameter(Dwfl_Module* module, std::uint64_t offset, const std::string& name,
                           std::optional<Dwarf_Die>& die, DataPlace& place);

}  // namespace kymo::program
