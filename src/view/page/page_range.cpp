#include "view/page/page_range.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace kymo::view {
namespace {

// "1.25" → nanoseconds; none if it is not a number of seconds.
std::optional<std::uint64_t> nanoseconds(std::string_view text) {
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size() || !(seconds >= 0) || seconds > 1e9) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(seconds * 1e9);
}

}  // namespace

Result<TimeRange> parse_page_range(const std::string& text) {
    const std::size_t dots = text.find("..");
    if (dots != std::string::npos) {
        const auto begin = nanoseconds(std::string_view(text).substr(0, dots));
        const auto end = nanoseconds(std::string_view(text).substr(dots + 2));
        if (begin && end && *begin < *end) {
            return TimeRange{*begin, *end};
        }
    }
    return Error{ErrorKind::kUsage, "\"" + text + "\" is not a time range",
                 "a range is two numbers of seconds since the start, the smaller first: --range 1.2..1.3"};
}

}  // namespace kymo::view
