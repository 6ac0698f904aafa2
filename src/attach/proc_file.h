// Files of /proc as text.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace kymo::attach {

// Empty: it cannot be read, or is.
inline std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace kymo::attach
