// From a variable to a member, an element or what it points to, by the types of debug information.
#pragma once

#include "program/data/data_path.h"
#include "program/data/data_place.h"

#include <elfutils/libdwfl.h>
#include <optional>
#include <string>

namespace kymo::program {

class DataTypes {
  public:
    explicit DataTypes(Dwfl_Module* module) : module_(module) {}

    // Continues from `place` (a value of the variable's or parameter's type) along the path's steps, and sets the
    // width of the number at its end. Empty: done. Otherwise why not.
    std::string follow(const DataPath& path, Dwarf_Die variable, DataPlace& place);

    // Whether what a pointer (a variable or parameter) points to has a member of that name.
    bool has_member(Dwarf_Die pointer, const std::string& name);

  private:
    struct Member {
        std::int64_t offset = 0;
        std::int64_t container = 0;  // where the structure begins that has it itself
        Dwarf_Die die{};
        std::uint64_t bytes = 0;  // of that structure
    };
    std::string step(const DataStep& step, DataPlace& place);
    std::string go_through(DataPlace& place);
    std::string enter(const std::string& name, DataPlace& place);
    std::string index(std::uint64_t at, DataPlace& place);
    std::string point(DataPlace& place);
    std::string settle(DataPlace& place);
    std::string settle_bits(DataPlace& place) const;
    std::optional<Member> find_member(Dwarf_Die type, const std::string& name, int depth);
    std::string members_of(Dwarf_Die type);
    Dwarf_Die completed(Dwarf_Die type);
    static bool move(DataPlace& place, std::int64_t by);
    [[nodiscard]] std::string described() const;

    Dwfl_Module* module_;
    std::string said_;                  // the path as far as it was followed
    std::optional<Dwarf_Die> type_;     // of that; none: void
    std::optional<Dwarf_Die> bits_of_;  // the member, where it is a bit-field
    std::uint64_t struct_bytes_ = 0;    // of the structure that has it, and where that begins
    std::int64_t struct_at_ = 0;
};

}  // namespace kymo::program
