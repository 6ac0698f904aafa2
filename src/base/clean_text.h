// Makes text from elsewhere (names of threads, functions, files, hosts) safe to print.
//
// A program may give its threads any name, and a file may contain any symbol: bytes that a terminal interprets as
// commands, line breaks, marks that change the direction of the following text, and bytes that are not UTF-8. All
// these are written as escapes: "\x1b[31m", "\n", "\u202e". Everything else is unchanged. Not for the monitor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kymo {

namespace detail {

// The code point at the beginning of `text`, and its bytes; no bytes if this is not UTF-8 (including overlong
// forms, halves of surrogates and values beyond Unicode).
struct CodePoint {
    std::uint32_t value = 0;
    std::size_t bytes = 0;
};

constexpr CodePoint first_code_point(std::string_view text) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::uint32_t first = at(0);
    if (first < 0x80) {
        return {first, 1};
    }
    const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < bytes) {
        return {};
    }
    std::uint32_t value = first & (0xFFU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((at(i) & 0xC0U) != 0x80U) {
            return {};
        }
        value = value << 6U | (at(i) & 0x3FU);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool valid = value >= kLeast[bytes] && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
    return valid ? CodePoint{value, bytes} : CodePoint{};
}

// Controls (C0, DEL, C1), direction marks, line separators and invisible characters.
constexpr bool is_unfit(std::uint32_t point) {
    return point < 0x20 || (point >= 0x7F && point <= 0x9F) || point == 0x61C || point == 0x200E || point == 0x200F ||
           (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) || point == 0xFEFF;
}

inline void append_escape(std::string& out, std::uint32_t value, bool is_byte) {
    constexpr const char* kDigits = "0123456789abcdef";
    if (value == '\n' || value == '\t' || value == '\r') {
        out += value == '\n' ? "\\n" : value == '\t' ? "\\t" : "\\r";
        return;
    }
    const bool is_short = is_byte || value < 0x20;
    out += is_short ? "\\x" : "\\u";
    for (int shift = is_short ? 4 : 12; shift >= 0; shift -= 4) {
        out += kDigits[value >> static_cast<unsigned>(shift) & 0xFU];
    }
}

// The length of an "ESC [ digits m" at the beginning of `text`; 0: none.
constexpr std::size_t colour_length(std::string_view text) {
    if (!text.starts_with("\033[")) {
        return 0;
    }
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

inline std::string cleaned(std::string_view text, bool is_screen) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        std::size_t taken = is_screen ? (text[0] == '\n' ? 1 : colour_length(text)) : 0;
        if (taken == 0) {
            const CodePoint point = first_code_point(text);
            taken = point.bytes;
            if (taken == 0 || is_unfit(point.value)) {
                const bool is_byte = taken == 0;
                append_escape(out, is_byte ? static_cast<unsigned char>(text[0]) : point.value, is_byte);
                text.remove_prefix(is_byte ? 1 : taken);
                continue;
            }
        }
        out += text.substr(0, taken);
        text.remove_prefix(taken);
    }
    return out;
}

}  // namespace detail

// True: clean_text() would change nothing. Fast for plain ASCII.
constexpr bool is_clean_text(std::string_view text) {
    while (!text.empty()) {
        const detail::CodePoint point = detail::first_code_point(text);
        if (point.bytes == 0 || detail::is_unfit(point.value)) {
            return false;
        }
        text.remove_prefix(point.bytes);
    }
    return true;
}

// One line that can be shown anywhere.
inline std::string clean_text(std::string_view text) {
    return is_clean_text(text) ? std::string(text) : detail::cleaned(text, false);
}

// Whole lines for a terminal, made of clean texts: line breaks and colours are kept. JSON text stays the same
// JSON, since characters that need no escape in its strings are written as JSON writes them.
inline std::string clean_screen(std::string_view text) {
    return detail::cleaned(text, true);
}

}  // namespace kymo
