// What `--json` prints: one object, the number of its schema first (docs/json.md, "Schema").
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// Counts up when a key is renamed, goes, or gets another meaning; new keys do not change it.
inline constexpr int kJsonSchema = 2;

// Of a line number, or a count, that is 0 where it is not known.
template <typename Number>
nlohmann::ordered_json known_or_null(Number number) {
    return number == 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(number);
}

enum class JsonForm : std::uint8_t {
    kIndented,  // several lines, for one object
    kLine,      // one line, where an object follows the other
};

// With an end of line. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(nlohmann::ordered_json object, JsonForm form = JsonForm::kIndented);

}  // namespace kymo::view
