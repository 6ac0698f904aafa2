// Names of interpreted functions, from the rows of a recording to the file that readers of symbols take them from.
#pragma once

#include "base/result.h"

#include <filesystem>

namespace kymo::import {

// For each process of a recording that has such rows: a NamedImage with lines, below the recording's images. Files
// that are there already stay. Errors: those of Folder::open_own() and NamedImage::write(). Cost: reads the parts of
// the files that belong to no thread.
Result<void> write_interpreted_names(const std::filesystem::path& recording);

}  // namespace kymo::import
