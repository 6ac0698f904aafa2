// A program as our child: started, waited for, signals passed on.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace kymo::launch {

// Its exit status as a shell reports it, after its end. Errors: kNotRunnable, kNoSpace.
Result<int> run_child(const std::filesystem::path& program, const std::vector<std::string>& command,
                      std::vector<std::string> environment);

}  // namespace kymo::launch
