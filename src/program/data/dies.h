// Small questions to debugging information entries. Attributes are those of the entry, or of what it completes.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <elfutils/libdw.h>
#include <memory>
#include <optional>
#include <string>

namespace kymo::program {

std::string name_of(Dwarf_Die die);
std::optional<std::uint64_t> number_of(Dwarf_Die die, unsigned attribute);
std::optional<std::int64_t> signed_number_of(Dwarf_Die die, unsigned attribute);
bool has_flag(Dwarf_Die die, unsigned attribute);

// The entry that an attribute refers to.
std::optional<Dwarf_Die> referred(Dwarf_Die die, unsigned attribute);
// Its type, without names for it, const and the like; none: void.
std::optional<Dwarf_Die> type_of(Dwarf_Die die);

// The unit's tree of entries: a skeleton's is in its split file, where that can be found.
Dwarf_Die tree_of(Dwarf_Die unit);

// What libdw allocates for its caller.
struct FreeScopes {
    void operator()(Dwarf_Die* scopes) const { std::free(scopes); }
};
using Scopes = std::unique_ptr<Dwarf_Die, FreeScopes>;

// Calls visit(child) for each child of an entry.
template <typename Visit>
void for_each_child(Dwarf_Die parent, const Visit& visit) {
    Dwarf_Die child;
    if (dwarf_child(&parent, &child) == 0) {
        do {
            visit(child);
        } while (dwarf_siblingof(&child, &child) == 0);
    }
}

}  // namespace kymo::program
