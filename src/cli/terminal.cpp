#include "cli/terminal.h"

#include "base/clean_text.h"
#include "base/job_rank.h"

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace kymo::cli {
namespace {

constexpr std::size_t kLeastWidth = 72;
constexpr std::size_t kMostWidth = 160;
constexpr std::size_t kPipeWidth = 80;

}  // namespace

bool use_colour(int descriptor) {
    // The starter of a parallel job may give its processes terminals of its own, wherever it writes itself.
    if (find_job_rank([](const char* name) { return std::getenv(name); }).known) {
        return false;
    }
    const char* off = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return ::isatty(descriptor) == 1 && (off == nullptr || *off == '\0') &&
           (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

std::size_t terminal_width() {
    if (const char* asked = std::getenv("COLUMNS"); asked != nullptr && std::atoi(asked) > 0) {
        return static_cast<std::size_t>(std::atoi(asked));
    }
    winsize size{};
    const bool known = ::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return known && size.ws_col > 0 ? size.ws_col : kPipeWidth;
}

view::Style terminal_style() {
    std::setlocale(LC_CTYPE, "");
    return {.width = std::clamp(terminal_width(), kLeastWidth, kMostWidth),
            .colour = use_colour(STDOUT_FILENO),
            .unicode = std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0};
}

bool print_now(std::string_view given) {
    const std::string text = clean_screen(given);
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

}  // namespace kymo::cli
