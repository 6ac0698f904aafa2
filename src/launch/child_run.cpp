#include "launch/child_run.h"

#include "launch/child.h"
#include "launch/signals.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/wait.h>

namespace kymo::launch {
namespace {

// Returns the program's exit status once it has ended.
int wait_for(pid_t program, SignalWatch& signals) {
    for (;;) {
        int status = 0;
        const pid_t got = waitpid(program, &status, WNOHANG | WUNTRACED);
        if (got == program && WIFSTOPPED(status)) {
            (void)raise(SIGSTOP);  // so that the shell sees it; when we are continued, we continue the program
            (void)kill(program, SIGCONT);
            continue;
        }
        if (got == program) {
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        if (got < 0 && errno != EINTR) {
            return 128;
        }
        pollfd polled{signals.descriptor(), POLLIN, 0};
        (void)poll(&polled, 1, -1);
        signalfd_siginfo signal{};
        while (signals.next(signal)) {
            if (is_passed_on(signal)) {
                (void)kill(program, static_cast<int>(signal.ssi_signo));
            }
        }
    }
}

}  // namespace

Result<int> run_child(const std::filesystem::path& program, const std::vector<std::string>& command,
                      std::vector<std::string> environment) {
    SignalWatch signals;
    auto child =
        Child::fork({program, command, std::move(environment), signals.mask_before(), signals.child_action_before()});
    if (!child) {
        return child.error();
    }
    if (const int error = child->release(); error != 0) {
        return Error{ErrorKind::kNotRunnable, program.string() + ": " + std::strerror(error), ""};
    }
    return wait_for(child->pid(), signals);
}

}  // namespace kymo::launch
