// Figures in the columns of the live view.
#pragma once

#include "view/text.h"

#include <string>

namespace kymo::cli {

// "187 %", of one processor; a dot for nothing.
std::string share_figure(const view::Style& style, double share);

// Three digits and a letter for thousands; a dot for nothing.
std::string rate_figure(const view::Style& style, double a_second);

}  // namespace kymo::cli
