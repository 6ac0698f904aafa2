#include "live/host_screen.h"

#include "live/screen.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ncurses.h>

namespace kymo::live {
namespace {

constexpr const char* kHostScreenKeys =
    "q end  s sort  t threads  p processors  c channels  m metrics  f freeze  +/- period";

// Returns whether to continue.
bool press(int key, HostShown& shown, double& period, bool& is_frozen) {
    switch (key) {
        case 'q':
        case 'Q':
            return false;
        case 's':
            shown.sort = static_cast<TaskSort>((static_cast<int>(shown.sort) + 1) % kTaskSorts);
            break;
        case 't':
            shown.threads = !shown.threads;
            break;
        case 'p':
            shown.processors = !shown.processors;
            break;
        case 'c':
            shown.channels = !shown.channels;
            break;
        case 'm':
            shown.metrics = !shown.metrics;
            break;
        case 'f':
        case ' ':
            is_frozen = !is_frozen;
            break;
        case '+':
            period = std::min(period * 2, 60.0);
            break;
        case '-':
            period = std::max(period / 2, 0.125);
            break;
        default:
            break;
    }
    return true;
}

}  // namespace

void run_host_screen(HostScreenOptions options, const std::function<host::LiveView()>& look,
                     const std::function<bool()>& is_stopped) {
    using Clock = std::chrono::steady_clock;
    HostShown& shown = options.shown;
    double& period = options.period;
    const Screen screen(options.unicode);
    host::LiveView view;
    bool is_frozen = false;
    auto next = Clock::now();
    while (!is_stopped()) {
        const auto now = Clock::now();
        if (now >= next) {
            if (!is_frozen) {
                view = look();
            }
            const double wanted = view.seconds == 0 ? std::min(period, 0.25) : period;
            next = now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(wanted));
        }
        shown.rows = static_cast<std::size_t>(std::max(LINES / 3, 4));
        screen.draw(top_title(period) + (is_frozen ? "  FROZEN" : ""), host_lines(screen.style(), view, shown),
                    kHostScreenKeys);
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now());
        timeout(static_cast<int>(std::clamp<std::int64_t>(left.count(), 1, 1000)));
        if (!press(getch(), shown, period, is_frozen)) {
            break;
        }
    }
}

}  // namespace kymo::live
