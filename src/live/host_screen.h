// The view of this host on a screen: what keys do to what is shown.
#pragma once

#include "live/host_view.h"

#include <functional>

namespace kymo::live {

struct HostScreenOptions {
    double period = 1;  // seconds
    HostShown shown;
    bool unicode = true;  // whether the terminal has signs beyond ASCII
};

// Until the user ends it, or it is stopped; `look` tells what happened since it was asked before.
void run_host_screen(HostScreenOptions options, const std::function<ring::LiveView()>& look,
                     const std::function<bool()>& is_stopped);

}  // namespace kymo::live
