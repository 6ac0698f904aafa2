// Text on a terminal: widths, numbers with units, drawing characters, colours.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::view {

// How a report looks. Made by the command line from the terminal and the locale.
struct Style {
    std::size_t width = 100;  // columns
    bool colour = false;
    bool unicode = true;
};

enum class Ink { kPlain, kHeading, kHot, kWarm, kDim, kName, kWarning, kAlarm };

// `text` in a colour, or unchanged if the style has none.
std::string paint(const Style& style, Ink ink, std::string_view text);

// Columns that a text takes: one a code point (names are ASCII except for our own signs).
std::size_t columns(std::string_view text);
// Shortened to at most `width` columns, its end (or its beginning) replaced by an ellipsis.
std::string cut_end(const Style& style, std::string_view text, std::size_t width);
std::string cut_begin(const Style& style, std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);

// Three significant digits: "12.3 s", "123 ms", "4.5 us"; a dot for nothing (under half a microsecond).
std::string duration(const Style& style, std::int64_t ns);
std::string duration(const Style& style, std::integral auto ns) {
    return duration(style, static_cast<std::int64_t>(ns));
}
std::string percent(double share);      // "92.1 %", "<0.1 %"
std::string count(std::int64_t value);  // "19,872"
std::string quantity(std::uint64_t number, std::string_view singular, std::string_view plural = {});  // "3 threads"

std::string byte_size(std::uint64_t bytes);  // "12 KiB", "64.2 MiB", "1.5 GiB"

// The course of a value over a run: a sign for each, its height relative to the highest.
std::string course(const Style& style, const std::vector<double>& heights);

// ns in seconds, as in JSON.
constexpr double seconds(std::integral auto ns) {
    return static_cast<double>(ns) / 1e9;
}

// Signs with their ASCII stand-ins.
struct Signs {
    std::string_view branch, last, through, gap, then, ellipsis, dot, arrow, from, times;
};
const Signs& signs(const Style& style);
// Replaces signs in the findings' words that the terminal cannot show.
std::string with_signs(const Style& style, std::string text);
// "│" of "│  ".
std::string_view first_sign(std::string_view text);

// `text` broken at spaces into lines of at most style.width columns, each after `indent` spaces.
std::string wrap(const Style& style, std::string_view text, std::size_t indent, std::size_t hanging);

}  // namespace kymo::view
