// A thread's creation: the call path of pthread_create's caller, and the state in which it was called. As
// data the keys are those of docs/json.md.
#pragma once

#include "spacetime/evidence/structure.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kymo::view {

// A place on a call path, in the words of the source.
struct PathPlace {
    std::string function;
    std::string module;
    std::string file;        // as in the debug information; empty: not known
    std::uint32_t line = 0;  // of the call; 0: not known
    bool inlined = false;    // in the body of the place before it
};

// The call path that created the thread, outermost first, without start-up code; the last one called pthread_create.
// A creator's own creation comes before its path. Empty: not known.
std::vector<PathPlace> creation_places(const spacetime::Profile& profile, const spacetime::Names& names,
                                       const spacetime::ProfileThread& thread);

// "start_worker demo.c:70", "start_worker libdemo.so" if the line is not known.
std::string words(const PathPlace& place);

// By DWARF number: as many as have names on that machine, otherwise as many as are known; none: not known.
std::vector<std::optional<std::uint64_t>> known_registers(const spacetime::CreatedWith& state);

// The same state in lines for people, without the path except its last place; none if nothing is known.
std::vector<std::string> created_with_lines(const spacetime::Profile& profile, const spacetime::Names& names,
                                            const spacetime::ProfileThread& thread);

// A thread's `created_with`; null if nothing is known.
nlohmann::ordered_json json_created_with(const spacetime::Profile& profile, const spacetime::Names& names,
                                         const spacetime::ProfileThread& thread);

}  // namespace kymo::view
