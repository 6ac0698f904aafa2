#include "view/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace kymo::view {
namespace {

constexpr Signs kUnicode = {"├─ ", "└─ ", "│  ", "   ", " › ", "…", "·", "→", "←", "×"};
constexpr Signs kAscii = {"|- ", "`- ", "|  ", "   ", " > ", "...", ".", "->", "<-", "x"};

constexpr bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// The byte at which `count` columns of `text` have passed.
std::size_t byte_after(std::string_view text, std::size_t count) {
    std::size_t at = 0;
    while (at < text.size() && count > 0) {
        ++at;
        while (at < text.size() && is_continuation(text[at])) {
            ++at;
        }
        --count;
    }
    return at;
}

const char* code(Ink ink) {
    switch (ink) {
        case Ink::kHeading:
            return "\033[1m";
        case Ink::kHot:
            return "\033[1;31m";
        case Ink::kWarm:
            return "\033[33m";
        case Ink::kDim:
            return "\033[2m";
        case Ink::kName:
            return "\033[1;36m";
        case Ink::kWarning:
            return "\033[33m";
        case Ink::kAlarm:
            return "\033[1;31m";
        default:
            return "";
    }
}

}  // namespace

const Signs& signs(const Style& style) {
    return style.unicode ? kUnicode : kAscii;
}

std::string with_signs(const Style& style, std::string text) {
    if (style.unicode) {
        return text;
    }
    for (const auto& [sign, ascii] :
         {std::pair("×", "x"), std::pair("–", "-"), std::pair("µ", "u"), std::pair("…", "...")}) {
        for (std::size_t at = 0; (at = text.find(sign, at)) != std::string::npos;) {
            text.replace(at, std::string_view(sign).size(), ascii);
        }
    }
    return text;
}

std::string_view first_sign(std::string_view text) {
    return text.substr(0, byte_after(text, 1));
}

std::string paint(const Style& style, Ink ink, std::string_view text) {
    if (!style.colour || ink == Ink::kPlain || text.empty()) {
        return std::string(text);
    }
    return code(ink) + std::string(text) + "\033[0m";
}

std::size_t columns(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string cut_end(const Style& style, std::string_view text, std::size_t width) {
    if (columns(text) <= width) {
        return std::string(text);
    }
    const std::string_view whole_sign = signs(style).ellipsis;
    const std::string_view sign = whole_sign.substr(0, byte_after(whole_sign, width));
    const std::size_t kept = width - columns(sign);
    return std::string(text.substr(0, byte_after(text, kept))) + std::string(sign);
}

std::string cut_begin(const Style& style, std::string_view text, std::size_t width) {
    const std::size_t have = columns(text);
    if (have <= width) {
        return std::string(text);
    }
    const std::string_view sign = signs(style).ellipsis;
    const std::size_t kept = width - std::min(width, columns(sign));
    return std::string(sign) + std::string(text.substr(byte_after(text, have - kept)));
}

std::string pad_left(std::string_view text, std::size_t width) {
    const std::size_t have = columns(text);
    return std::string(width > have ? width - have : 0, ' ') + std::string(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
    const std::size_t have = columns(text);
    return std::string(text) + std::string(width > have ? width - have : 0, ' ');
}

std::string duration(const Style& style, std::int64_t ns) {
    const auto value = static_cast<double>(ns);
    if (value < 500) {
        return std::string(signs(style).dot);
    }
    double amount = value / 1e9;
    const char* unit = "s";
    if (value < 999.5e3) {
        amount = value / 1e3;
        unit = "us";
    } else if (value < 999.5e6) {
        amount = value / 1e6;
        unit = "ms";
    }
    const int digits = amount < 9.995 ? 2 : amount < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}", amount, digits, unit);
}

std::string percent(double share) {
    const double value = share * 100;
    return value > 0 && value < 0.05 ? "<0.1 %" : fmt::format("{:.1f} %", std::max(value, 0.0));
}

std::string byte_size(std::uint64_t bytes) {
    constexpr double kStep = 1024;
    const auto value = static_cast<double>(bytes);
    return value < kStep * kStep           ? fmt::format("{:.0f} KiB", value / kStep)
           : value < kStep * kStep * kStep ? fmt::format("{:.1f} MiB", value / kStep / kStep)
                                           : fmt::format("{:.1f} GiB", value / kStep / kStep / kStep);
}

std::string course(const Style& style, const std::vector<double>& heights) {
    constexpr const char* kHigh[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    constexpr const char* kPlain[] = {" ", ".", ".", "-", "-", "=", "=", "#", "#"};
    double most = 0;
    for (const double height : heights) {
        most = std::max(most, height);
    }
    std::string text;
    for (const double height : heights) {
        const double level = most > 0 && height > 0 ? 1 + 7 * height / most : 0;  // 0 to 8
        text += (style.unicode ? kHigh : kPlain)[static_cast<std::size_t>(level)];
    }
    return text;
}

std::string count(std::int64_t value) {
    std::string digits = std::to_string(value);
    for (std::size_t at = digits.size(); at > 3 + (value < 0 ? 1U : 0U);) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

std::string quantity(std::uint64_t number, std::string_view singular, std::string_view plural) {
    const std::string text = count(static_cast<std::int64_t>(number)) + " ";
    if (number == 1) {
        return text + std::string(singular);
    }
    return text + (plural.empty() ? std::string(singular) + "s" : std::string(plural));
}

std::string wrap(const Style& style, std::string_view text, std::size_t indent, std::size_t hanging) {
    std::string out;
    std::string line(indent, ' ');
    bool is_fresh = true;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!is_fresh && columns(line) + 1 + columns(word) > style.width) {
            out += line + "\n";
            line.assign(hanging, ' ');
            is_fresh = true;
        }
        line += (is_fresh ? "" : " ") + std::string(word);
        is_fresh = false;
    }
    return out + line + "\n";
}

}  // namespace kymo::view
