// Executed ranges of all files, by image and in the functions that hold them.
#pragma once

#include "spacetime/branches/branch_rows.h"
#include "spacetime/evidence/code_map.h"
#include "spacetime/load/images.h"

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace kymo::spacetime {

// The images of all files, each once.
class BranchImages {
  public:
    // The index of the file's image; kNone: the file has none of that number.
    std::uint32_t of(const BranchRows& file, std::uint64_t image);
    const std::vector<ImageInfo>& all() const { return images_; }

  private:
    std::map<ImageInfo, std::uint32_t> index_;
    std::vector<ImageInfo> images_;
};

// By image, first and last instruction; counts of all files added up.
using CodeRanges =
    std::map<std::pair<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>>, recording::ExecutedRange>;
CodeRanges ranges_of(const std::vector<BranchRows>& files, BranchImages& images);

// How often code of one image ran past an address without being diverted there.
class PassedCounts {
  public:
    PassedCounts(const CodeRanges& ranges, std::uint32_t image);
    std::uint64_t at(std::uint64_t offset) const;

  private:
    // Ascending offsets, and how many ranges begin, or end, there or before.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> begun_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ended_;
};

struct RangeOfFunction {
    std::uint32_t function = 0;      // of the CodeMap
    std::uint64_t instructions = 0;  // 0: its code cannot be decoded
    bool is_broken = false;          // no straight run leads from its first to its last instruction
    std::vector<std::uint32_t> blocks;
    std::vector<ByteRange> code;                             // all of it, normalised
    const std::vector<std::uint64_t>* beginnings = nullptr;  // of all instructions of the function, ascending
};

// How many instructions of the range begin in `code`, which is normalised.
std::uint64_t instructions_in(const RangeOfFunction& range, std::span<const ByteRange> code);

// `code`: has the functions of both ends.
RangeOfFunction in_function(CodeMap& code, std::uint32_t image, const recording::ExecutedRange& range);

}  // namespace kymo::spacetime
