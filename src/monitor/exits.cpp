// The ways a process ends or becomes another program. exit() and return from main run this library's destructor; the
// rest is interposed. A vfork child gets here too, in the parent's memory: it is another process and touches nothing.

#include "monitor/process.h"
#include "monitor/real.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

using kymo::monitor::process;
using kymo::monitor::Process;

namespace {

void finish(Process::End how) {
    if (process.running() && process.is_this_process()) {
        process.finish(how);
    }
}

__attribute__((destructor)) void on_exit_of_process() {
    finish(Process::End::kExit);
}

kymo::monitor::Real<int (*)(const char*, char* const[], char* const[])> real_execve{"execve"};
kymo::monitor::Real<int (*)(const char*, char* const[])> real_execv{"execv"};
kymo::monitor::Real<int (*)(const char*, char* const[])> real_execvp{"execvp"};
kymo::monitor::Real<int (*)(const char*, char* const[], char* const[])> real_execvpe{"execvpe"};
kymo::monitor::Real<int (*)(int, char* const[], char* const[])> real_fexecve{"fexecve"};
kymo::monitor::Real<void (*)(int)> real_quick_exit{"quick_exit"};

}  // namespace

KYMO_INTERPOSE void _exit(int status) {
    finish(Process::End::kImmediateExit);
    for (;;) {
        syscall(SYS_exit_group, status);
    }
}

KYMO_INTERPOSE void _Exit(int status) {
    _exit(status);
}

KYMO_INTERPOSE void quick_exit(int status) {
    finish(Process::End::kImmediateExit);
    real_quick_exit.get()(status);
    __builtin_unreachable();
}

KYMO_INTERPOSE int execve(const char* path, char* const arguments[], char* const environment[]) {
    finish(Process::End::kExec);
    return real_execve.get()(path, arguments, environment);
}

KYMO_INTERPOSE int execv(const char* path, char* const arguments[]) {
    finish(Process::End::kExec);
    return real_execv.get()(path, arguments);
}

KYMO_INTERPOSE int execvp(const char* file, char* const arguments[]) {
    finish(Process::End::kExec);
    return real_execvp.get()(file, arguments);
}

KYMO_INTERPOSE int execvpe(const char* file, char* const arguments[], char* const environment[]) {
    finish(Process::End::kExec);
    return real_execvpe.get()(file, arguments, environment);
}

KYMO_INTERPOSE int fexecve(int descriptor, char* const arguments[], char* const environment[]) {
    finish(Process::End::kExec);
    return real_fexecve.get()(descriptor, arguments, environment);
}
