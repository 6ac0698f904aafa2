// The worked example of docs/cells-format.md, as bytes; and a folder for segments.
#pragma once

#include "../hex_blocks.h"
#include "../recording/temporary_folder.h"

#include <cstdint>
#include <fstream>
#include <vector>

namespace kymo::cells::testing {

using kymo::testing::TemporaryFolder;

inline std::vector<std::uint8_t> example() {
    std::vector<std::uint8_t> bytes;
    for (const std::vector<std::uint8_t>& block : kymo::testing::hex_blocks(KYMO_CELLS_DOCUMENT)) {
        bytes.insert(bytes.end(), block.begin(), block.end());
    }
    return bytes;
}

inline void save(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace kymo::cells::testing
