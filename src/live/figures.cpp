#include "live/figures.h"

#include <fmt/format.h>

namespace kymo::live {

std::string share_figure(const view::Style& style, double share) {
    return share < 0.0005 ? std::string(view::signs(style).dot)
                          : fmt::format("{:.{}f} %", share * 100, share < 0.1 ? 1 : 0);
}

std::string rate_figure(const view::Style& style, double a_second) {
    constexpr const char* kLetters[] = {"", "k", "M", "G", "T"};
    int letter = 0;
    while (a_second >= 999.5 && letter < 4) {
        a_second /= 1000;
        ++letter;
    }
    if (a_second < 0.05) {
        return std::string(view::signs(style).dot);
    }
    return fmt::format("{:.{}f}{}", a_second, a_second < 9.95 ? 1 : 0, kLetters[letter]);
}

std::string amount_figure(const view::Style& style, std::uint64_t value, std::string_view unit) {
    if (unit == "ns") {
        return view::duration(style, static_cast<std::int64_t>(value));
    }
    return value < 10'000'000 ? view::count(static_cast<std::int64_t>(value))
                              : rate_figure(style, static_cast<double>(value));
}

}  // namespace kymo::live
