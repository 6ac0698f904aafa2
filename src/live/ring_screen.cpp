#include "live/ring_screen.h"

#include "live/ring_lines.h"

#include <algorithm>
#include <fmt/format.h>
#include <ncurses.h>

namespace kymo::live {
namespace {

constexpr const char* kRingKeys =
    "q end  s sort  arrows choose  enter go in  b back  c channels  f freeze  r record  +/- period";
constexpr const char* kHostKeys =
    "q end  s sort  arrows choose  enter threads  b back  p processors  c channels  m metrics  f freeze  +/- period";
constexpr const char* kProcessKeys =
    "q end  s sort  arrows scroll  b back  c channels  f freeze  r record  +/- period";

constexpr int kRedraw = 'L' - '@';  // Ctrl-L, as everywhere

}  // namespace

void RingScreen::take(RingView view) {
    if (!is_frozen_) {
        view_ = std::move(view);
        has_view_ = true;
    }
}

void RingScreen::take(const DetailView& detail) {
    if (!is_frozen_) {
        detail_ = detail;
    }
}

void RingScreen::begin_at(ring::Slot slot, std::optional<std::uint32_t> process) {
    shown_.chosen = slot;
    shown_.is_inside = true;
    process_ = process;
}

std::optional<DetailTarget> RingScreen::wanted() const {
    if (!shown_.is_inside || !shown_.chosen) {
        return std::nullopt;
    }
    return DetailTarget{*shown_.chosen, process_, false, detail_shown_.sort};
}

void RingScreen::tell(std::string text) {
    told_ = std::move(text);
    Screen::spoilt();
}

void RingScreen::draw(const std::vector<Asked>& asked, double period, const std::string& recording) {
    std::string head = top_title(period) +
                       fmt::format("  by {}", shown_.is_inside ? name_of(detail_shown_.sort) : name_of(shown_.sort));
    head += is_frozen_ ? "  FROZEN" : "";
    head += recording.empty() ? "" : "  RECORDING " + recording;
    std::vector<std::string> lines{"No host has answered yet."};
    if (has_view_ && shown_.is_inside) {
        lines = lines_inside(asked);
    } else if (has_view_) {
        // The service channels and the other requested metrics need their part.
        shown_.rows = std::max<std::size_t>(shown_.service ? Screen::rows() / 3 : Screen::rows() - 8, 4);
        lines = ring_lines(screen_.style(), view_, asked, shown_);
    }
    if (!told_.empty()) {
        lines.insert(lines.begin(), {told_, ""});
    }
    screen_.draw(head, lines, !shown_.is_inside ? kRingKeys : process_ ? kProcessKeys : kHostKeys);
}

std::vector<std::string> RingScreen::lines_inside(const std::vector<Asked>& asked) {
    std::vector<std::string> lines = ring_lines(screen_.style(), view_, asked, shown_);
    if (totals_ && !process_) {
        return lines;
    }
    lines.resize(1);  // what host it is
    if (process_) {
        lines.push_back(fmt::format("Process  {} {}", process_name_, *process_));
    }
    lines.emplace_back();
    if (!has_rows()) {
        lines.emplace_back(is_frozen_ ? "Nothing was read of it before it was frozen: f goes on."
                                      : "Waiting for the agent's answer.");
        return lines;
    }
    detail_shown_.rows = std::max<std::size_t>(process_ ? Screen::rows() * 2 / 3 : Screen::rows() / 4, 4);
    for (std::string& line : detail_lines(screen_.style(), *detail_, detail_shown_)) {
        lines.push_back(std::move(line));
    }
    return lines;
}

void RingScreen::choose(int by) {
    choose_next(shown_.chosen, order_of(view_, shown_.sort), by);
}

void RingScreen::choose_row(int by) {
    if (has_rows()) {
        choose_next(detail_shown_.chosen, rows_to_choose(*detail_, detail_shown_.sort), by);
    }
}

// From the list of hosts to one host, and from there to one of its processes.
void RingScreen::go_in() {
    if (!shown_.is_inside) {
        if (!shown_.chosen) {
            choose(0);
        }
        shown_.is_inside = shown_.chosen.has_value();
        detail_shown_.chosen.reset();
        return;
    }
    const DetailTable* const programs = has_rows() && !totals_ ? detail_->table(RowsOf::kProcesses) : nullptr;
    if (process_ || programs == nullptr) {
        return;
    }
    if (!detail_shown_.chosen) {
        choose_row(0);
    }
    for (const DetailRow& row : programs->rows) {
        const ring::RowHead& head = row.told.head;
        if (detail_shown_.chosen == RowId{head.number, head.begin}) {
            process_ = head.process;
            process_name_ = row.told.name();
            detail_shown_.chosen.reset();
            return;
        }
    }
}

void RingScreen::go_back() {
    detail_shown_.chosen.reset();
    if (process_) {
        process_.reset();
        process_name_.clear();
    } else {
        shown_.is_inside = false;
    }
}

void RingScreen::sort_by_next() {
    if (shown_.is_inside) {
        detail_shown_.sort = static_cast<TaskSort>((static_cast<int>(detail_shown_.sort) + 1) % kTaskSorts);
    } else {
        shown_.sort = static_cast<RingSort>((static_cast<int>(shown_.sort) + 1) % kRingSorts);
    }
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
            sort_by_next();
            break;
        case KEY_DOWN:
        case 'j':
            shown_.is_inside ? choose_row(1) : choose(1);
            break;
        case KEY_UP:
        case 'k':
            shown_.is_inside ? choose_row(-1) : choose(-1);
            break;
        case '\n':
        case KEY_ENTER:
        case KEY_RIGHT:
            go_in();
            break;
        case 'b':
        case KEY_LEFT:
        case KEY_BACKSPACE:
            go_back();
            break;
        case 'c':
            (shown_.is_inside ? detail_shown_.channels : shown_.service) ^= true;
            break;
        case 'p':
            detail_shown_.processors = !detail_shown_.processors;
            break;
        case 'm':
            totals_ = !totals_;
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

}  // namespace kymo::live
