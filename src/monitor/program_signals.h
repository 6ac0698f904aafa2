// What the program has said about signals, where the monitor answers in the kernel's stead.
//
// The sampling signal must stay unblocked and handled by the monitor; the program must not notice. So the program's
// own disposition of that signal, its bit in the threads' masks and its bit in other handlers' masks are kept here,
// given back when asked for, and honoured: a sampling signal that is not the monitor's own goes to the program's
// handler.
#pragma once

#include <cstdint>
#include <signal.h>

namespace kymo::monitor {

// A signal with the sampling signal's number that the monitor did not cause.
void forward_to_program(int signal, siginfo_t* info, void* context);

}  // namespace kymo::monitor
