#include "live/screen.h"

#include <algorithm>
#include <clocale>
#include <ctime>
#include <fmt/format.h>
#include <ncurses.h>
#include <unistd.h>

namespace kymo::live {
namespace {

void put_line(int row, const std::string& text) {
    mvaddnstr(row, 0, text.c_str(), -1);
}

}  // namespace

std::string top_title(double period) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    char now[16] = "";
    const std::time_t time = std::time(nullptr);
    std::tm local{};
    localtime_r(&time, &local);
    std::strftime(now, sizeof now, "%H:%M:%S", &local);
    return fmt::format("kymo top  {}  {}  every {} s", host, now, period);
}

Screen::Screen(bool unicode) : unicode_(unicode) {
    std::setlocale(LC_ALL, "");
    initscr();
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
}

Screen::~Screen() {
    endwin();
}

view::Style Screen::style() const {
    return {.width = static_cast<std::size_t>(std::max(COLS, 40)), .colour = false, .unicode = unicode_};
}

std::size_t Screen::rows() {
    return static_cast<std::size_t>(std::max(LINES, 8));
}

void Screen::draw(const std::string& head, const std::vector<std::string>& lines, const std::string& keys) const {
    erase();
    attron(A_BOLD);
    put_line(0, head);
    attroff(A_BOLD);
    for (std::size_t i = 0; i < lines.size() && static_cast<int>(i) + 3 < LINES; ++i) {
        put_line(static_cast<int>(i) + 2, lines[i]);
    }
    attron(A_DIM);
    put_line(LINES - 1, keys);
    attroff(A_DIM);
    refresh();
}

void Screen::spoilt() {
    clearok(curscr, TRUE);
}

}  // namespace kymo::live
