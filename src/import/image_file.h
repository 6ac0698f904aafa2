// What a load image's file says about where its code lies: needed to turn file offsets of mappings into the offsets
// that names are looked up by.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kymo::import {

inline constexpr std::uint64_t kPage = 4096;  // to which segments are laid out

struct LoadSegment {
    std::uint64_t file_offset = 0;
    std::uint64_t file_bytes = 0;
    std::uint64_t address = 0;  // before the image is moved to its place
    std::uint64_t bytes = 0;
};

struct ImageFile {
    std::filesystem::path path;  // where it was found
    std::uint16_t machine = 0;   // e_machine
    std::string build_id;        // raw bytes; empty: it has none
    std::uint64_t entry = 0;     // e_entry; 0: none
    std::vector<LoadSegment> segments;

    // Of the segment that holds this offset of the file: its address less its offset. None: no segment does.
    std::optional<std::uint64_t> moved_by(std::uint64_t file_offset) const;
    std::uint64_t begin() const;  // of its lowest segment's page
    std::uint64_t end() const;    // of its highest segment
};

// The headers of an ELF file of 64 bits and little-endian. None: it cannot be read, is another kind of file, or has
// no segments. At most kMostHeaderBytes of it are read.
inline constexpr std::size_t kMostHeaderBytes = std::size_t{1} << 20U;
std::optional<ImageFile> read_image_file(const std::filesystem::path& path);

// Looks for the files that a recording of another tool names: below `symfs` at their path there, or else at their
// path, then by build id in perf's cache (~/.debug/.build-id). Where a build id is known, only a file that has it
// counts.
class ImageFinder {
  public:
    explicit ImageFinder(std::filesystem::path symfs) : symfs_(std::move(symfs)) {}
    std::optional<ImageFile> find(const std::string& path, const std::string& build_id) const;

  private:
    // `path` below symfs_, which no "..", and no link of the file system there, leads out of; empty: it would.
    std::filesystem::path below_symfs(const std::string& path) const;
    std::filesystem::path symfs_;  // empty: none
};

}  // namespace kymo::import
