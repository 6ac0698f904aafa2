#include "cli/ring/ring_screen.h"

#include <algorithm>
#include <fmt/format.h>
#include <ncurses.h>

namespace kymo::cli {
namespace {

constexpr const char* kRingKeys =
    "q end  s sort  arrows choose  enter all of it  b back  c channels  f freeze  r record  +/- period";

constexpr int kRedraw = 'L' - '@';  // Ctrl-L, as everywhere

}  // namespace

void RingScreen::take(RingView view) {
    if (!is_frozen_) {
        view_ = std::move(view);
        has_view_ = true;
    }
}

void RingScreen::tell(std::string text) {
    told_ = std::move(text);
    Screen::spoilt();
}

void RingScreen::draw(const std::vector<Asked>& asked, double period, const std::string& recording) {
    std::string head = top_title(period) + fmt::format("  by {}", name_of(shown_.sort));
    head += is_frozen_ ? "  FROZEN" : "";
    head += recording.empty() ? "" : "  RECORDING " + recording;
    std::vector<std::string> lines{"No host has answered yet."};
    if (has_view_) {
        // The service channels and what else was asked for want their part.
        shown_.rows = std::max<std::size_t>(shown_.service ? Screen::rows() / 3 : Screen::rows() - 8, 4);
        lines = ring_lines(Screen::style(), view_, asked, shown_);
    }
    if (!told_.empty()) {
        lines.insert(lines.begin(), {told_, ""});
    }
    screen_.draw(head, lines, kRingKeys);
}

void RingScreen::choose(int by) {
    const std::vector<ring::Slot> order = order_of(view_, shown_.sort);
    if (order.empty()) {
        return;
    }
    const auto at = shown_.chosen ? std::find(order.begin(), order.end(), *shown_.chosen) : order.end();
    const auto last = static_cast<std::ptrdiff_t>(order.size()) - 1;
    const std::ptrdiff_t next = at == order.end() ? 0 : std::clamp<std::ptrdiff_t>(at - order.begin() + by, 0, last);
    shown_.chosen = order[static_cast<std::size_t>(next)];
}

RingScreen::Wish RingScreen::press(int key) {
    if (key == kRedraw) {
        Screen::spoilt();
        return Wish::kNothing;
    }
    told_.clear();
    switch (key) {
        case 'q':
        case 'Q':
            return Wish::kEnd;
        case 's':
            shown_.sort = static_cast<RingSort>((static_cast<int>(shown_.sort) + 1) % kRingSorts);
            break;
        case KEY_DOWN:
        case 'j':
            choose(1);
            break;
        case KEY_UP:
        case 'k':
            choose(-1);
            break;
        case '\n':
        case KEY_ENTER:
        case KEY_RIGHT:
            if (!shown_.chosen) {
                choose(0);
            }
            shown_.is_inside = true;
            break;
        case 'b':
        case KEY_LEFT:
        case KEY_BACKSPACE:
            shown_.is_inside = false;
            break;
        case 'c':
            shown_.service = !shown_.service;
            break;
        case 'f':
        case ' ':
            is_frozen_ = !is_frozen_;
            break;
        case 'r':
            return Wish::kRecord;
        case '+':
            return Wish::kSlower;
        case '-':
            return Wish::kFaster;
        default:
            break;
    }
    return Wish::kNothing;
}

RingScreen::Wish RingScreen::press() {
    timeout(0);
    for (int key = getch(); key != ERR; key = getch()) {
        if (const Wish wish = press(key); wish != Wish::kNothing) {
            return wish;
        }
    }
    return Wish::kNothing;
}

}  // namespace kymo::cli
