// The abilities of standard output: one answer for every verb.
#pragma once

#include "view/text.h"

#include <cstddef>
#include <string_view>

namespace kymo::cli {

// Whether to colour output to this descriptor: a terminal that is not dumb, NO_COLOR not set, and this process not
// one of a parallel job.
bool use_colour(int descriptor);

// Columns: COLUMNS if set, else those of the terminal that standard output is, else 80. Never 0.
std::size_t terminal_width();

// The style of tables on standard output: between 72 columns, below which they cannot be read, and 160.
view::Style terminal_style();

// Prints a result, for people or as JSON, and flushes: whatever names are in it, nothing but text and our own
// colours reaches the terminal (base/clean_text.h). False: standard output has no reader any more, or its disk is
// full.
bool print_now(std::string_view text);

}  // namespace kymo::cli
