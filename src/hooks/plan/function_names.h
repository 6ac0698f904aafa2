// The names by which users identify a function: the linker's, with or without its version; the source's, with
// template arguments, with or without ABI tags, and with parameters. A thunk to a function is not that function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kymo::hooks {

// Whether `*` (any letters) or `?` (one) are in it. Brackets are parts of names: "operator[]", "f[abi:cxx11]".
bool is_glob(std::string_view wanted);

// Of one function. Made from its linkage name; a name that is neither mangled nor versioned costs a copy.
class FunctionNames {
  public:
    explicit FunctionNames(const std::string& linkage_name);

    bool are_asked_for_by(const std::string& wanted, bool is_pattern) const;

    // Without a version: the key of linkage tables.
    const std::string& linkage() const { return linkage_; }
    // For display: "ns::Class::method", "non-virtual thunk to ns::Class::method".
    const std::string& source() const { return names_.back(); }

  private:
    std::string linkage_;
    std::vector<std::string> names_;  // all but the one with parameters; the source's is last
    std::string with_parameters_;
};

}  // namespace kymo::hooks
