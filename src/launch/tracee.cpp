#include "launch/tracee.h"

#include "launch/native.h"

#include <cerrno>
#include <csignal>
#include <optional>
#include <string>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kymo::launch {
namespace {

// After exec the kernel sends a tracee a SIGTRAP for its tracer; it looks like one that the program sends itself,
// except for the system call that the program is in.
bool is_in_exec(pid_t task) {
    const std::optional<long> call = native::traced_call(task);
    return !call || *call == SYS_execve || *call == SYS_execveat;
}

bool is_told_of_exec(pid_t task, const siginfo_t& info) {
    return info.si_signo == SIGTRAP && info.si_code == SI_USER && info.si_pid == task && is_in_exec(task);
}

bool is_thread_of(pid_t program, pid_t task) {
    return access(("/proc/" + std::to_string(program) + "/task/" + std::to_string(task)).c_str(), F_OK) == 0;
}

}  // namespace

bool continue_tracee(pid_t task, int signal) {
    siginfo_t info{};
    if (ptrace(PTRACE_GETSIGINFO, task, nullptr, &info) == 0) {
        const long passed = is_told_of_exec(task, info) ? 0 : signal;
        return ptrace(PTRACE_CONT, task, nullptr, passed) == 0;
    }
    // EINVAL: its group is stopped; it stays so, and the next wait reports it. ESRCH: not our tracee, or killed.
    return errno == EINVAL && ptrace(PTRACE_DETACH, task, nullptr, 0) == 0;
}

void serve_traced_threads(pid_t program) {
    for (;;) {
        siginfo_t info{};
        constexpr int kWhat = WEXITED | WSTOPPED | WNOHANG | __WALL;
        if (waitid(P_ALL, 0, &info, kWhat | WNOWAIT) != 0 || info.si_pid == 0 || info.si_pid == program ||
            !is_thread_of(program, info.si_pid)) {
            return;
        }
        int status = 0;
        if (wait4(info.si_pid, &status, WNOHANG | __WALL, nullptr) != info.si_pid) {
            return;
        }
        if (WIFSTOPPED(status)) {
            continue_tracee(info.si_pid, WSTOPSIG(status));
        }
    }
}

}  // namespace kymo::launch
