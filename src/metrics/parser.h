// Parses a metric description's text. Stops at the first mistake, and reports what was expected there.
#pragma once

#include "metrics/syntax.h"

#include <optional>
#include <string_view>
#include <variant>

namespace kymo::metrics {

// Bounds: a text beyond them is a mistake.
inline constexpr std::size_t kMaxDescription = 256 * 1024;
inline constexpr unsigned kMaxNesting = 32;  // of conditions
inline constexpr std::size_t kMaxStatements = 1024;

std::variant<Syntax, Mistake> parse_description(std::string_view text);

}  // namespace kymo::metrics
