// What the program has said about signals, where the monitor answers in the kernel's stead.
//
// The sampling signal must stay unblocked and handled by the monitor; the program must not notice. So the program's
// own disposition of that signal, its bit in the threads' masks and its bit in other handlers' masks are kept here,
// given back when asked for, and honoured: a sampling signal that is not the monitor's own goes to the program's
// handler.
#pragma once

namespace kymo::monitor {

// Installs the handler for the session's signal.
bool install_handler();

}  // namespace kymo::monitor
