// What `--json` prints: one object, the number of its schema first (docs/json.md, "Schema").
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// Counts up when a key is renamed, goes, or gets another meaning; new keys do not change it.
inline constexpr int kJsonSchema = 1;

enum class JsonForm : std::uint8_t {
    kIndented,  // several lines, for one object
    kLine,      // one line, where an object follows the other
};

// With an end of line. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(nlohmann::ordered_json object, JsonForm form = JsonForm::kIndented);

}  // namespace kymo::view
