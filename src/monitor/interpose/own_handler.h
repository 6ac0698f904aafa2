// Whether the handler that the monitor has installed is still there. A program may replace it behind the C library's
// back: by syscall(SYS_rt_sigaction), which is answered as sigaction() is (program_signals.h), or by an instruction
// of its own, which nobody sees. That much is found out at the end, and told.
#pragma once

namespace kymo::monitor {

// Right after it was installed.
void remember_handler(int signal);
// At the end of the process, or of its program.
void tell_if_handler_is_gone(int signal);

}  // namespace kymo::monitor
