// syscall(): system calls that programs make by number and that concern the monitor.
//
// The entry of syscall() examines the number and continues with the next library's syscall() by a jump, without a
// frame of its own: a child that a raw clone or vfork gives another stack, or the same one, returns as it would
// from glibc's. Any other call costs eight comparisons and that jump. The entry depends on the processor:
// x86_64/system_call_entry.cpp.
#pragma once

// Shared declarations of the entry and the functions that it calls. NOLINTBEGIN(readability-identifier-naming)
extern "C" {
using SystemCall = long (*)(long, long, long, long, long, long, long);
// The next library's syscall(); until the monitor's constructor has looked that up, one of its own.
__attribute__((visibility("hidden"))) extern SystemCall kymo_next_syscall;

__attribute__((visibility("hidden"))) long kymo_futex_call(long number, long word, long operation, long value,
                                                           long timeout, long other, long last);
__attribute__((visibility("hidden"))) long kymo_ptrace_call(long number, long request, long task, long address,
                                                            long data, long fifth, long sixth);
__attribute__((visibility("hidden"))) long kymo_sigaction_call(long number, long signal, long action, long before,
                                                               long bytes, long fifth, long sixth);
__attribute__((visibility("hidden"))) long kymo_prctl_call(long number, long option, long second, long third,
                                                           long fourth, long fifth, long sixth);
__attribute__((visibility("hidden"))) long kymo_seccomp_call(long number, long operation, long flags, long program,
                                                             long fourth, long fifth, long sixth);
__attribute__((visibility("hidden"))) long kymo_close_call(long number, long descriptor, long second, long third,
                                                           long fourth, long fifth, long sixth);
__attribute__((visibility("hidden"))) long kymo_close_range_call(long number, long first, long last, long flags,
                                                                 long fourth, long fifth, long sixth);
__attribute__((visibility("hidden"))) long kymo_listing_call(long number, long folder, long entries, long room,
                                                             long fourth, long fifth, long sixth);
}
// NOLINTEND(readability-identifier-naming)
