// Lines of a live view: none wider than its style, coloured where the style is.
#pragma once

#include "view/text.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kymo::live {

class Lines {
  public:
    explicit Lines(const view::Style& style) : style_(style) {}

    // Of a table; below a line left free, unless it is the first.
    void heading(const std::string& text);
    // What its columns are.
    void columns(const std::string& text) { line(text, view::Ink::kDim); }
    void line(const std::string& text, view::Ink ink = view::Ink::kPlain);
    // That so many rows were left out; no line: none.
    void more(std::size_t left_out);

    [[nodiscard]] const view::Style& style() const { return style_; }
    [[nodiscard]] bool is_empty() const { return lines_.empty(); }
    // Without a trailing newline each.
    std::vector<std::string> take() { return std::move(lines_); }

  private:
    const view::Style style_;
    std::vector<std::string> lines_;
};

// A figure at the right of its column.
inline std::string cell(const std::string& text, std::size_t width = 8) {
    return view::pad_left(text, width);
}

// The row to begin with, of a table with room for so many, if that one is to be among those shown.
constexpr std::size_t first_shown(std::size_t chosen, std::size_t room) {
    return chosen < room ? 0 : chosen - room + 1;
}

// What is chosen in a table with that order when the user goes so many rows down; the first where nothing was.
template <typename Id>
void choose_next(std::optional<Id>& chosen, const std::vector<Id>& order, int by) {
    if (order.empty()) {
        return;
    }
    const auto at = chosen ? std::find(order.begin(), order.end(), *chosen) : order.end();
    const auto last = static_cast<std::ptrdiff_t>(order.size()) - 1;
    const std::ptrdiff_t next = at == order.end() ? 0 : std::clamp<std::ptrdiff_t>(at - order.begin() + by, 0, last);
    chosen = order[static_cast<std::size_t>(next)];
}

}  // namespace kymo::live
