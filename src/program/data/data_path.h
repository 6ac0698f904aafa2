// A value of a program's data as its source writes it: "grid->cells[3].level".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kymo::program {

struct DataStep {
    enum class Kind : std::uint8_t { kMember, kArrow, kIndex, kDereference };
    Kind kind = Kind::kMember;
    std::string member;
    std::uint64_t index = 0;
};

struct DataPath {
    std::string name;  // with its scopes: "solver::level"
    std::vector<DataStep> steps = {};
    bool is_global = false;  // written "::level": no parameter, and nothing else that hides the variable
};

// As it was written.
std::string text_of(const DataPath& path);

}  // namespace kymo::program
