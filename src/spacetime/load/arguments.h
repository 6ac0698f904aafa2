// A command line as the recording has it: arguments, each ended by a NUL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kymo::spacetime {

inline std::vector<std::string> split_arguments(std::string_view bytes) {
    std::vector<std::string> arguments;
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\0') == std::string_view::npos ? bytes.size() : bytes.find('\0');
        arguments.emplace_back(bytes.substr(0, end));
        bytes.remove_prefix(end < bytes.size() ? end + 1 : end);
    }
    return arguments;
}

}  // namespace kymo::spacetime
