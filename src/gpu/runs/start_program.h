// How programs are started here: by a function of the caller, as this layer is not to know the launcher.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kymo::gpu {

// Starts the program with these words (the first is its name) and variables, and returns its exit status as a shell
// reports it, after its end. Errors: kNotRunnable, kNoSpace.
using StartProgram =
    std::function<Result<int>(const std::filesystem::path& program, const std::vector<std::string>& command,
                              std::vector<std::string> environment)>;

// A program's file, and the words that the user named it with.
struct FoundProgram {
    std::filesystem::path path;
    std::vector<std::string> command;
};

}  // namespace kymo::gpu
