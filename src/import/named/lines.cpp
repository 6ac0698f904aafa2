#include "import/named/lines.h"

#include <utility>

namespace kymo::import::named {

void Lines::add_part(std::string_view part) {
    is_begun_ = true;
    is_too_long_ = is_too_long_ || part.size() > kMostBytes - begun_.size();
    if (!is_too_long_) {
        begun_.append(part);
    }
}

std::optional<std::string_view> Lines::end_line(std::string_view last_part) {
    ++number_;
    const bool is_whole = !is_begun_;
    if (is_whole) {
        is_too_long_ = last_part.size() > kMostBytes;
    } else {
        add_part(last_part);
        given_.swap(begun_);
        begun_.clear();
    }
    is_begun_ = false;
    if (std::exchange(is_too_long_, false)) {
        first_too_long_ = too_long_++ == 0 ? number_ : first_too_long_;
        return std::nullopt;
    }
    std::string_view line = is_whole ? last_part : std::string_view(given_);
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

Result<std::optional<std::string_view>> Lines::next() {
    for (;;) {
        if (block_.empty()) {
            const auto bytes = input_.next();
            if (!bytes) {
                return bytes.error();
            }
            if (bytes->empty()) {
                return is_begun_ ? end_line({}) : std::nullopt;
            }
            block_ = {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
        }
        const std::size_t end = block_.find('\n');
        if (end == std::string_view::npos) {
            add_part(std::exchange(block_, {}));
            continue;
        }
        const auto line = end_line(block_.substr(0, end));
        block_.remove_prefix(end + 1);
        if (line) {
            return line;
        }
    }
}

}  // namespace kymo::import::named
