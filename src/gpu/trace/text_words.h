// What the lines of a text trace are made of: words, numbers, and "key = value".
#pragma once

#include "gpu/trace/kernel.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kymo::gpu {

// The words of a line.
class Words {
  public:
    explicit Words(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}
    std::string_view next() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) {
            ++at_;
        }
        const char* from = at_;
        while (at_ != end_ && *at_ != ' ' && *at_ != '\t') {
            ++at_;
        }
        return {from, static_cast<std::size_t>(at_ - from)};
    }
    const char* position() const { return at_; }

  private:
    const char* at_;
    const char* end_;
};

template <typename Number>
bool number(std::string_view word, Number& value, int base = 10) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc() && end == word.data() + word.size() && !word.empty();
}

inline bool hexadecimal(std::string_view word, std::uint64_t& value) {
    if (word.starts_with("0x") || word.starts_with("0X")) {
        word.remove_prefix(2);
    }
    return number(word, value, 16);
}

inline bool dimensions(std::string_view text, Dim3& dim) {
    if (text.starts_with("(") && text.ends_with(")")) {
        text = text.substr(1, text.size() - 2);
    }
    const std::size_t first = text.find(',');
    const std::size_t second = text.find(',', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) {
        return false;
    }
    return number(text.substr(0, first), dim.x) && number(text.substr(first + 1, second - first - 1), dim.y) &&
           number(text.substr(second + 1), dim.z);
}

inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
        text.remove_prefix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
        text.remove_suffix(1);
    }
    return text;
}

// "key = value" behind `prefix`.
inline bool assignment(std::string_view text, std::string_view key, std::string_view& value) {
    if (!text.starts_with(key)) {
        return false;
    }
    text = trimmed(text.substr(key.size()));
    if (!text.starts_with("=")) {
        return false;
    }
    value = trimmed(text.substr(1));
    return true;
}

}  // namespace kymo::gpu
