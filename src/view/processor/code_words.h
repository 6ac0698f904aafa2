// A place in code in a few words, and as data.
#pragma once

#include "program/symbols.h"

#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// "solve (fem.cpp:88)"; without a line the function alone; empty: it is not known.
std::string code_words(const program::SourcePlace& place);
// The same of a stretch of code: "solve (fem.cpp:88–91)".
std::string code_words(const program::SourcePlace& first, const program::SourcePlace& last);

// null: it is not known.
nlohmann::ordered_json code_json(const program::SourcePlace& place);

}  // namespace kymo::view
