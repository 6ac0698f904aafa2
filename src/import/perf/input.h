// The file behind a path.
#pragma once

#include "base/result.h"
#include "import/perf/block_file.h"

#include <filesystem>
#include <string>

namespace kymo::import::perf {

struct Input {
    BlockFile file;
    std::string name;  // for messages
};

// As read_perf_data says. A pipe is read to its end first.
Result<Input> open_input(const std::filesystem::path& path);

}  // namespace kymo::import::perf
