// The program to be run: where it is, and whether it can be run under the monitor. Decided before anything is
// started, so that a refusal is one clear line and leaves nothing behind.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kymo::launch {

struct Program {
    std::filesystem::path path;          // absolute or relative, as execve(2) takes it
    bool go_runtime = false;             // Go's run time uses SIGURG for itself
    std::string build_id = {};           // raw bytes, of the program or a script's interpreter; empty: it has none
    std::filesystem::path file = {};     // what is executed: the program, or a script's interpreter
    std::optional<Error> obstacle = {};  // why no monitor can be loaded into it; only if requested (kAny)
    bool gains_rights = false;           // whether that is the reason
    // A sanitizer's run time that must be the program's first library; empty: none.
    std::string first_library = {};
};

enum class Fitness : std::uint8_t { kForMonitor, kAny };

// A name without a slash is searched in `search_path` (the value of PATH), else it is a path.
//
// kNotFound: no such program (similar names are offered). kNotRunnable: a folder, not executable, setuid, setgid or
// with file capabilities that this user would gain (the dynamic loader then ignores preloaded libraries), statically
// linked, of another architecture or C library, built with ThreadSanitizer or MemorySanitizer, no program at all; for
// a script, the same of its interpreter. kPermission: it cannot be read. With kAny a program of this machine is also
// found if no monitor can be loaded into it (setuid and its like, static, another C library): `obstacle` then is
// the error that it would be.
Result<Program> find_program(std::string_view name, std::string_view search_path,
                             Fitness fitness = Fitness::kForMonitor);

// Why the monitor cannot be loaded into a program that has been started already, to follow the program's name: "is
// statically linked: …". Empty: it can be loaded, or the file cannot be read from here.
std::string monitoring_obstacle(const std::filesystem::path& file);

}  // namespace kymo::launch
