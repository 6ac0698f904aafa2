// Commands that start the program to be measured: mpirun etc., and env, taskset and others in front of a
// program.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::launch {

// The programs, as paths, in the order of the words that name them; several of mpirun's are separated by ":".
// Empty: the command is the program itself. A word counts as a program if it is one, so an option's value that has
// a program's name is taken for it. kNotFound: such a command without a program.
Result<std::vector<std::filesystem::path>> started_programs(std::span<const std::string> command,
                                                            std::string_view search_path);

}  // namespace kymo::launch
