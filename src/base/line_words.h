// Words and numbers of the small text files that the launcher writes for the monitor, and of sysfs. Usable in the
// monitor: views into the text, nothing is copied, nothing is allocated. Cost: one pass over what is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kymo {

// The part of `text` before the first `end`, or all of it; `text` becomes the part after it.
constexpr std::string_view take_until(std::string_view& text, char end) {
    std::size_t size = 0;
    while (size < text.size() && text[size] != end) {
        ++size;
    }
    const std::string_view piece(text.data(), size);
    text.remove_prefix(size < text.size() ? size + 1 : size);
    return piece;
}

// A word of decimal digits alone, no sign and no blanks, whose value is at most `most` and fits `out`. False
// otherwise, with `out` left as it was.
template <typename Number>
constexpr bool parse_decimal(std::string_view word, Number& out, std::uint64_t most = UINT64_MAX) {
    std::uint64_t value = 0;
    for (const char c : word) {
        if (c < '0' || c > '9' || __builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
            __builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value)) {
            return false;
        }
    }
    if (word.empty() || value > most || static_cast<std::uint64_t>(static_cast<Number>(value)) != value) {
        return false;
    }
    out = static_cast<Number>(value);
    return true;
}

}  // namespace kymo
