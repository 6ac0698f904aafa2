#include "live/lines.h"

#include <fmt/format.h>

namespace kymo::live {

void Lines::heading(const std::string& text) {
    if (!lines_.empty()) {
        lines_.emplace_back();
    }
    line(text, view::Ink::kHeading);
}

void Lines::line(const std::string& text, view::Ink ink) {
    lines_.push_back(view::paint(style_, ink, view::cut_end(style_, text, style_.width)));
}

void Lines::more(std::size_t left_out) {
    if (left_out != 0) {
        line(fmt::format("  {} {} more", view::signs(style_).ellipsis, left_out), view::Ink::kDim);
    }
}

}  // namespace kymo::live
