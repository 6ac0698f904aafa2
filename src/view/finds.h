// What a hunt found, as text and as data.
#pragma once

#include "spacetime/finds/finds.h"
#include "view/text.h"

#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// Empty where there was no hunt.
std::string terminal_finds(const Style& style, const spacetime::Finds& finds, std::size_t top);

// The array `finds`, and the object `hunt` (null where there was none). Keys: docs/json.md.
nlohmann::ordered_json json_finds(const spacetime::Finds& finds);
nlohmann::ordered_json json_hunt(const spacetime::Finds& finds);

// Why nothing more was found, or what to know of a short run: one line, or empty.
std::string reach_of(const spacetime::Finds& finds);

}  // namespace kymo::view
