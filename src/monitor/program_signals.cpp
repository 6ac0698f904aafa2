#include "monitor/program_signals.h"

#include "monitor/process.h"
#include "monitor/real.h"

#include <atomic>
#include <cerrno>
#include <pthread.h>

namespace kymo::monitor {

namespace {

Lock action_lock;
struct sigaction programs_action{};  // for the sampling signal; zero: SIG_DFL
// Bit n−1: the program's handler of signal n blocks the sampling signal while it runs.
std::atomic<std::uint64_t> masks_with_ours{0};

Real<int (*)(int, const struct sigaction*, struct sigaction*)> real_sigaction{"sigaction"};
Real<int (*)(int, const sigset_t*, sigset_t*)> real_pthread_sigmask{"pthread_sigmask"};
Real<sighandler_t (*)(int, sighandler_t)> real_signal{"signal"};

bool active() {
    return process.running() && process.is_this_process();
}

int ours() {
    return static_cast<int>(process.session().signal);
}

std::uint64_t bit(int signal) {
    return std::uint64_t{1} << static_cast<unsigned>(signal - 1);
}

int change_own_action(const struct sigaction* action, struct sigaction* before) {
    const Quiet quiet;
    const Locked locked(action_lock);
    const struct sigaction old = programs_action;
    if (action != nullptr) {
        programs_action = *action;
    }
    if (before != nullptr) {
        *before = old;
    }
    return 0;
}

int change_action(int signal, const struct sigaction* action, struct sigaction* before) {
    if (!active()) {
        return real_sigaction.get()(signal, action, before);
    }
    if (signal == ours()) {
        return change_own_action(action, before);
    }
    if (signal < 1 || signal > 64) {
        return real_sigaction.get()(signal, action, before);
    }
    const bool had = (masks_with_ours.load() & bit(signal)) != 0;
    bool has = had;
    struct sigaction changed{};
    if (action != nullptr) {
        changed = *action;
        has = sigismember(&changed.sa_mask, ours()) == 1;
        sigdelset(&changed.sa_mask, ours());
    }
    const int result = real_sigaction.get()(signal, action == nullptr ? nullptr : &changed, before);
    if (result != 0) {
        return result;
    }
    if (before != nullptr && had) {
        sigaddset(&before->sa_mask, ours());
    }
    if (action != nullptr) {
        has ? masks_with_ours.fetch_or(bit(signal)) : masks_with_ours.fetch_and(~bit(signal));
    }
    return 0;
}

int change_thread_mask(int how, const sigset_t* set, sigset_t* before) {
    const auto real = real_pthread_sigmask.get();
    ThreadState* thread = this_thread();
    if (thread == nullptr || !active()) {
        return real(how, set, before);
    }
    const std::uint64_t held = thread->programs_mask_bit;
    sigset_t changed;
    if (set != nullptr) {
        changed = *set;
        sigdelset(&changed, ours());
    }
    const int error = real(how, set == nullptr ? nullptr : &changed, before);
    if (error != 0) {
        return error;
    }
    if (set != nullptr) {
        const std::uint64_t named = sigismember(set, ours()) == 1 ? bit(ours()) : 0;
        switch (how) {
            case SIG_BLOCK:
                thread->programs_mask_bit = held | named;
                break;
            case SIG_UNBLOCK:
                thread->programs_mask_bit = held & ~named;
                break;
            default:
                thread->programs_mask_bit = named;
                break;
        }
    }
    if (before != nullptr) {
        held != 0 ? sigaddset(before, ours()) : sigdelset(before, ours());
    }
    return 0;
}

}  // namespace

bool install_handler() {
    struct sigaction action{};
    action.sa_sigaction = handle_signal;
    // On the alternate stack where there is one: runtimes with small stacks (Go, Rust) count on that.
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    // Nothing may interrupt the handler, or a handler of the program could jump out of it.
    sigfillset(&action.sa_mask);
    const Locked locked(action_lock);
    // What was there is the program's: an "ignore" that outlived an exec, or nothing.
    return real_sigaction.get()(ours(), &action, &programs_action) == 0;
}

void forward_to_program(int signal, siginfo_t* info, void* context) {
    struct sigaction action;
    {
        const Locked locked(action_lock);
        action = programs_action;
        if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
            programs_action.sa_handler = SIG_DFL;
        }
    }
    const ThreadState* thread = this_thread();
    if (thread != nullptr && thread->programs_mask_bit != 0) {
        return;  // the program has blocked it; a coalescing signal that waits is not told from one that comes later
    }
    if ((action.sa_flags & SA_SIGINFO) != 0) {
        if (action.sa_sigaction != nullptr) {
            action.sa_sigaction(signal, info, context);
        }
    } else if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
        action.sa_handler(signal);
    }
}

}  // namespace kymo::monitor

using namespace kymo::monitor;

KYMO_INTERPOSE int sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
    return change_action(signal, action, before);
}

KYMO_INTERPOSE sighandler_t signal(int number, sighandler_t handler) noexcept {
    if (!active() || number != ours()) {
        return real_signal.get()(number, handler);
    }
    struct sigaction action{};
    struct sigaction before{};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    change_action(number, &action, &before);
    return before.sa_handler;
}

KYMO_INTERPOSE int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
    return change_thread_mask(how, set, before);
}

KYMO_INTERPOSE int sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
    const int error = change_thread_mask(how, set, before);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return 0;
}
