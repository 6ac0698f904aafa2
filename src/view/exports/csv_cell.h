// A text as a cell of comma-separated values (RFC 4180): quoted if necessary.
#pragma once

#include <string>
#include <string_view>

namespace kymo::view {

inline std::string csv_cell(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char letter : text) {
        quoted += letter;
        quoted += letter == '"' ? "\"" : "";
    }
    return quoted + "\"";
}

}  // namespace kymo::view
