// Lines of a live view: none is wider than its style allows; coloured if the style is.
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

    // Of a table; preceded by an empty line, unless it is the first.
    void heading(const std::string& text);
    // What its columns are.
    void columns(const std::string& text) { line(text, view::Ink::kDim); }
    void line(const std::string& text, view::Ink ink = view::Ink::kPlain);
    // The number of rows left out; no line if there are none.
    void more(std::size_t left_out);

    [[nodiscard]] const view::Style& style() const { return style_; }
    [[nodiscard]] bool is_empty() const { return lines_.empty(); }
    // Without a trailing newline each.
    std::vector<std::string> take() { return std::move(lines_); }

  private:
    const view::Style style_;
    std::vector<std::string> lines_;
};

// A right-aligned figure in its column.
inline std::string cell(const std::string& text, std::size_t width = 8) {
    return view::pad_left(text, width);
}

// The first row to show in a table with room for that many, so that the chosen one is visible.
constexpr std::size_t first_shown(std::size_t chosen, std::size_t room) {
    return chosen < room ? 0 : chosen - room + 1;
}

// The new choice when the user goes that many rows down; the first row if nothing was chosen.
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
