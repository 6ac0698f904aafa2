// The ```hex blocks of a document about a format, as bytes: hex digits in pairs; 00*N stands for N zero bytes; text
// behind # is comment.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace kymo::testing {

inline std::vector<std::vector<std::uint8_t>> hex_blocks(const char* path) {
    std::ifstream document(path);
    std::vector<std::vector<std::uint8_t>> blocks;
    bool inside = false;
    for (std::string line; std::getline(document, line);) {
        if (line.starts_with("```")) {
            inside = line == "```hex";
            if (inside) {
                blocks.emplace_back();
            }
            continue;
        }
        std::istringstream words(inside ? line.substr(0, line.find('#')) : "");
        for (std::string word; words >> word;) {
            std::vector<std::uint8_t>& bytes = blocks.back();
            if (word.starts_with("00*")) {
                bytes.resize(bytes.size() + std::stoul(word.substr(3)));
            } else {
                bytes.push_back(static_cast<std::uint8_t>(std::stoul(word, nullptr, 16)));
            }
        }
    }
    return blocks;
}

}  // namespace kymo::testing
