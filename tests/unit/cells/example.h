// The worked example of docs/cells-format.md, as bytes; and a folder for segments.
#pragma once

#include "../recording/temporary_folder.h"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace kymo::cells::testing {

using kymo::testing::TemporaryFolder;

inline std::vector<std::uint8_t> example() {
    std::ifstream document(KYMO_CELLS_DOCUMENT);
    std::vector<std::uint8_t> bytes;
    bool inside = false;
    for (std::string line; std::getline(document, line);) {
        if (line.starts_with("```")) {
            inside = line == "```hex";
            continue;
        }
        std::istringstream words(inside ? line.substr(0, line.find('#')) : "");
        for (std::string word; words >> word;) {
            if (word.starts_with("00*")) {
                bytes.resize(bytes.size() + std::stoul(word.substr(3)));
            } else {
                bytes.push_back(static_cast<std::uint8_t>(std::stoul(word, nullptr, 16)));
            }
        }
    }
    return bytes;
}

inline void save(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace kymo::cells::testing
