// Rewriting a finished recording file into chunks that are as small as their contents, with checksums.
#pragma once

#include "base/result.h"
#include "recording/folder.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace kymo::recording {

struct PackReport {
    std::uint64_t bytes_before = 0;
    std::uint64_t bytes_after = 0;
};

// Replaces the file by its packed form, through a temporary file beside it and a rename. The original is unchanged
// on any error: kNoSpace, kPermission, kMalformed (a file with damaged places is not touched), kUnsupported (a
// program is still writing it). The descriptions of tables are repeated at the end, so that no one damaged place
// makes the rest unreadable. A packed file is not changed. Cost: reads and writes the file once.
Result<PackReport> pack_file(const Folder& folder, const std::string& name);
Result<PackReport> pack_file(const std::filesystem::path& path);  // in the directory of that path

}  // namespace kymo::recording
