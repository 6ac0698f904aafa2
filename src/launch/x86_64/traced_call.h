// x86-64: the system call that a stopped tracee is in.
#pragma once

#include <optional>
#include <sys/ptrace.h>
#include <sys/user.h>

namespace kymo::launch::x86_64 {

// By number; none if the kernel does not report it.
inline std::optional<long> traced_call(pid_t task) {
    user_regs_struct registers{};
    if (ptrace(PTRACE_GETREGS, task, nullptr, &registers) != 0) {
        return std::nullopt;
    }
    return static_cast<long>(registers.orig_rax);
}

}  // namespace kymo::launch::x86_64
