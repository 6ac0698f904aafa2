// The output of `--json`: one object, the number of its schema first (docs/json.md, "Schema").
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// Increases when a key is renamed, removed, or gets another meaning; new keys do not change it.
inline constexpr int kJsonSchema = 2;

// For a line number, or a count, that is 0 if not known.
template <typename Number>
nlohmann::ordered_json known_or_null(Number number) {
    return number == 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(number);
}

enum class JsonForm : std::uint8_t {
    kIndented,  // several lines, for one object
    kLine,      // one line, for a sequence of objects
};

// With an end of line. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(nlohmann::ordered_json object, JsonForm form = JsonForm::kIndented);

}  // namespace kymo::view
