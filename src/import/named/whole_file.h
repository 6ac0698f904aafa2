// All bytes of an input, decompressed if they are of gzip.
#pragma once

#include "base/result.h"
#include "import/named/input.h"
#include "import/named/visitor.h"

#include <cstdint>
#include <vector>

namespace kymo::import::named {

struct WholeFile {
    static constexpr std::size_t kMostBytes = std::size_t{512} << 20;
    // Decompressed bytes for each compressed one, of those beyond kFreeBytes. Profiles have about ten.
    static constexpr std::size_t kMostRatio = 256;
    static constexpr std::size_t kFreeBytes = std::size_t{16} << 20;

    std::vector<std::uint8_t> bytes;
    bool is_cut = false;  // the compressed data ends early, or is damaged from there on
};

// Memory: up to twice the bytes while they grow. Errors: the input's; kNoSpace: more than kMostBytes; kMalformed:
// more than kMostRatio.
Result<WholeFile> read_whole(Input& input, const Progress& progress = {});

}  // namespace kymo::import::named
