// One file of many: a tar archive compressed by xz.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kymo::archive {

struct Entry {
    std::filesystem::path file;  // a regular file
    std::string name;            // its path in the archive
};

// Writes the archive to a descriptor; equal files give equal bytes. Returns the bytes of the files. Error: a file
// that cannot be read, or the system's. Memory: a buffer.
Result<std::uint64_t> pack(const std::vector<Entry>& entries, int descriptor);

// Whether `path` is a packed recording rather than a directory: a file, or standard input ("-").
bool is_packed(const std::string& path);

// Unpacks it into a new directory below $TMPDIR (/tmp), which is removed once this process ends, in whatever way.
// Returns the directory in the archive or, if there are several entries, the new one. Compressed by zstd, gzip,
// xz, or not at all. Error: not a tar archive; one with anything but files and directories, or with paths that
// lead out of it; more than fits on the disk.
Result<std::filesystem::path> unpack(const std::string& path);

}  // namespace kymo::archive
