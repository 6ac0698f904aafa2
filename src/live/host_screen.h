// The view of this host on a screen, and the effect of keys on it.
#pragma once

#include "live/host_view.h"

#include <functional>

namespace kymo::live {

struct HostScreenOptions {
    double period = 1;  // seconds
    HostShown shown;
    bool unicode = true;  // whether the terminal has signs beyond ASCII
};

// Runs until the user ends it, or it is stopped; `look` returns what has happened since its previous call.
void run_host_screen(HostScreenOptions options, const std::function<host::LiveView()>& look,
                     const std::function<bool()>& is_stopped);

}  // namespace kymo::live
