// Whether the monitor's handler is still installed. A program may replace it without the C library: by
// syscall(SYS_rt_sigaction), which is answered as sigaction() is (program_signals.h), or by an instruction of its
// own, which is not seen. The latter is detected at the end, and reported.
#pragma once

namespace kymo::monitor {

// Right after it was installed.
void remember_handler(int signal);
// At the end of the process, or of its program.
void tell_if_handler_is_gone(int signal);

}  // namespace kymo::monitor
