// aarch64: the system call that a stopped tracee is in.
#pragma once

#include <elf.h>
#include <optional>
#include <sys/ptrace.h>
#include <sys/uio.h>

namespace kymo::launch::aarch64 {

// By number; none if the kernel does not report it.
inline std::optional<long> traced_call(pid_t task) {
    int number = 0;
    iovec to{&number, sizeof number};
    if (ptrace(PTRACE_GETREGSET, task, NT_ARM_SYSTEM_CALL, &to) != 0) {
        return std::nullopt;
    }
    return number;
}

}  // namespace kymo::launch::aarch64
