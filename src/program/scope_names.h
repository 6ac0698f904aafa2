// What encloses a function by the source: "outer::(anonymous namespace)::Shape::".
//
// Needed only for functions without a linker name (in unnamed namespaces, local classes, lambdas). DWARF has
// no parent links, so a unit is walked once, when its first such function is met. Not thread-safe.
#pragma once

#include <elfutils/libdw.h>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace kymo::program {

class ScopeNames {
  public:
    // The prefix for a subprogram, with "::" at its end, or nothing. Follows abstract origins and
    // specifications to where the function is declared.
    std::string prefix(Dwarf_Die function);

  private:
    void collect(Dwarf_Die parent, const std::string& prefix, int depth);

    std::unordered_map<const void*, std::string> prefixes_;  // by subprogram DIE; only those that have one
    std::unordered_set<const void*> units_;
};

}  // namespace kymo::program
