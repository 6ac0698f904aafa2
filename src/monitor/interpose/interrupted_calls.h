// System calls that a signal of the program must interrupt, when a sample arrives at the same time.
//
// The kernel delivers one signal after the other, a thread's own before its process's, and the first determines
// the outcome of a call that both interrupt. If that is the sample's, which restarts the call, a program's handler
// without SA_RESTART finds no call to interrupt, and a program that depends on EINTR waits forever. So this code
// makes the call fail with EINTR, as that handler would have done.
//
// One case is left: a signal that arrives after this and before the call is made again, within a microsecond.
#pragma once

#include <ucontext.h>

namespace kymo::monitor {

// At the end of the sample's handler, with all signals blocked. Costs a comparison of registers if no call is
// about to be restarted, otherwise up to a few system calls.
void interrupt_call_for_program(ucontext_t& context);

}  // namespace kymo::monitor
