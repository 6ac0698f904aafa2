// System calls that a signal of the program's is to interrupt, where a sample has come at the same time.
//
// The kernel delivers one signal after the other, a thread's own before its process's, and the first decides what
// becomes of a call that both interrupt. If that is the sample's, which asks for the call to be made again, a handler
// of the program's without SA_RESTART finds nothing that it could interrupt, and a program that counts on EINTR waits
// for good. So the call fails with EINTR here, as that handler would have had it.
//
// What is left: a signal that comes after this and before the call is made again, within a microsecond.
#pragma once

#include <ucontext.h>

namespace kymo::monitor {

// At the end of the sample's handler, with all signals blocked. Costs a comparison of registers where no call is
// about to be made again, else up to a few system calls.
void interrupt_call_for_program(ucontext_t& context);

}  // namespace kymo::monitor
