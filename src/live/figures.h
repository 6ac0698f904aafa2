// Figures in the columns of the live view.
#pragma once

#include "view/text.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace kymo::live {

// "187 %", of one processor; a dot for nothing.
std::string share_figure(const view::Style& style, double share);

// Three digits and a letter for thousands; a dot for nothing.
std::string rate_figure(const view::Style& style, double a_second);

// In full as long as a column has room for it; ns as a duration.
std::string amount_figure(const view::Style& style, std::uint64_t value, std::string_view unit);

}  // namespace kymo::live
