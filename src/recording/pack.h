// Rewriting a recording file into chunks that are as small as their contents, with checksums.
#pragma once

#include "base/result.h"
#include "recording/folder.h"
#include "recording/reader.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace kymo::recording {

struct PackReport {
    std::uint64_t bytes_before = 0;
    std::uint64_t bytes_after = 0;
    std::uint64_t damages = 0;  // places that were left out (of pack_copy())
};

// Replaces the file by its packed form, through a temporary file beside it and a rename. The original is unchanged
// on any error: kNoSpace, kPermission, kMalformed (a file with damaged places is not touched), kUnsupported (a
// program is still writing it). The descriptions of tables are repeated at the end, so that no one damaged place
// makes the rest unreadable. `more`: whole records of stream 0 that the file then has as well, less than a chunk. A
// packed file is not changed, but for those. Cost: reads and writes the file once.
Result<PackReport> pack_file(const Folder& folder, const std::string& name, std::span<const std::uint8_t> more = {});
Result<PackReport> pack_file(const std::filesystem::path& path);  // in the directory of that path

// Writes what a file holds by now, packed, to a new file of another folder. The file may be written meanwhile: the
// copy has what was committed when its chunk was read, and its header says so (Header::has_writer). Damaged places
// are left out, and counted. Errors as above, but kUnsupported.
Result<PackReport> pack_copy(const File& file, const Folder& to, const std::string& name);

}  // namespace kymo::recording
