// Older ways to handle a signal: the C library's own calls of sigaction() inside them cannot be intercepted, so
// those for the sampling signal are implemented here (program_signals.h).

#include "monitor/interpose/real.h"
#include "monitor/process/process.h"

#include <atomic>
#include <signal.h>

namespace {

using kymo::monitor::process;
using kymo::monitor::Real;

using Handler = void (*)(int);

Real<Handler (*)(int, Handler)> real_bsd_signal{"bsd_signal"};
Real<Handler (*)(int, Handler)> real_ssignal{"ssignal"};
Real<Handler (*)(int, Handler)> real_sysv_signal{"sysv_signal"};
Real<Handler (*)(int, Handler)> real_own_sysv_signal{"__sysv_signal"};
Real<Handler (*)(int, Handler)> real_sigset{"sigset"};
Real<int (*)(int)> real_sigignore{"sigignore"};
Real<int (*)(int, int)> real_siginterrupt{"siginterrupt"};

bool is_sampling_signal(int signal) {
    return process.running() && process.is_this_process() && signal == static_cast<int>(process.session().signal);
}

Handler set(int signal, Handler handler, unsigned flags) {
    struct sigaction action{};
    struct sigaction before{};
    action.sa_handler = handler;
    action.sa_flags = static_cast<int>(flags);
    return sigaction(signal, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

// siginterrupt() also applies to later calls of signal() and similar.
std::atomic<bool> is_interrupting{false};

unsigned restarting() {
    return is_interrupting ? 0U : SA_RESTART;
}

constexpr unsigned kSystemV = SA_RESETHAND | SA_NODEFER;

}  // namespace

KYMO_INTERPOSE Handler bsd_signal(int signal, Handler handler) noexcept {
    return is_sampling_signal(signal) ? set(signal, handler, restarting()) : real_bsd_signal.get()(signal, handler);
}

KYMO_INTERPOSE Handler ssignal(int signal, Handler handler) noexcept {
    return is_sampling_signal(signal) ? set(signal, handler, restarting()) : real_ssignal.get()(signal, handler);
}

KYMO_INTERPOSE Handler sysv_signal(int signal, Handler handler) noexcept {
    return is_sampling_signal(signal) ? set(signal, handler, kSystemV) : real_sysv_signal.get()(signal, handler);
}

KYMO_INTERPOSE Handler __sysv_signal(int signal, Handler handler) noexcept {
    return is_sampling_signal(signal) ? set(signal, handler, kSystemV) : real_own_sysv_signal.get()(signal, handler);
}

KYMO_INTERPOSE int sigignore(int signal) noexcept {
    return is_sampling_signal(signal) ? set(signal, SIG_IGN, 0) == SIG_ERR ? -1 : 0 : real_sigignore.get()(signal);
}

KYMO_INTERPOSE int siginterrupt(int signal, int interrupts) noexcept {
    if (!is_sampling_signal(signal)) {
        return real_siginterrupt.get()(signal, interrupts);
    }
    struct sigaction action{};
    if (sigaction(signal, nullptr, &action) != 0) {
        return -1;
    }
    is_interrupting = interrupts != 0;
    action.sa_flags = interrupts != 0 ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
    return sigaction(signal, &action, nullptr);
}

// SIG_HOLD blocks it; anything else sets it and unblocks it. Returns SIG_HOLD if it was blocked.
KYMO_INTERPOSE Handler sigset(int signal, Handler handler) noexcept {
    if (!is_sampling_signal(signal)) {
        return real_sigset.get()(signal, handler);
    }
    sigset_t only{};
    sigset_t before{};
    sigaddset(&only, signal);
    if (handler == SIG_HOLD) {
        struct sigaction action{};
        sigaction(signal, nullptr, &action);
        sigprocmask(SIG_BLOCK, &only, &before);
        return sigismember(&before, signal) == 1 ? SIG_HOLD : action.sa_handler;
    }
    const Handler had = set(signal, handler, 0);
    sigprocmask(SIG_UNBLOCK, &only, &before);
    return sigismember(&before, signal) == 1 ? SIG_HOLD : had;
}
