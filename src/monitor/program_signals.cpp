#include "monitor/program_signals.h"

#include "monitor/process.h"
#include "monitor/real.h"
#include "monitor/signal_entry.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

kymo::Lock action_lock;
struct sigaction programs_action{};  // for the sampling signal; zero: SIG_DFL
// Bit n−1: the program's handler of signal n blocks the sampling signal while it runs.
std::atomic<std::uint64_t> masks_with_ours{0};

Real<int (*)(int, const struct sigaction*, struct sigaction*)> real_sigaction{"sigaction"};
Real<int (*)(int, const sigset_t*, sigset_t*)> real_pthread_sigmask{"pthread_sigmask"};
Real<sighandler_t (*)(int, sighandler_t)> real_signal{"signal"};
Real<int (*)(const sigset_t*)> real_sigsuspend{"sigsuspend"};

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
    const kymo::Quiet quiet;
    const kymo::Locked locked(action_lock);
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
        const std::uint64_t named = sigismember(set, ours()) == 1 ? bit(ours()) : 0;
        // Before the mask itself: with it a signal may arrive that has waited (leave_pending).
        switch (how) {
            case SIG_BLOCK:
                thread->programs_mask_bit = held | named;
                sigdelset(&changed, ours());
                break;
            case SIG_UNBLOCK:
                thread->programs_mask_bit = held & ~named;
                break;
            default:
                thread->programs_mask_bit = named;
                sigdelset(&changed, ours());
                break;
        }
    }
    if (thread->muted && set != nullptr && (thread->programs_mask_bit == 0 || how == SIG_SETMASK)) {
        thread->muted = false;
        thread->counters.set_signalling(true);
    }
    const int error = real(how, set == nullptr ? nullptr : &changed, before);
    if (error != 0) {
        thread->programs_mask_bit = held;
        return error;
    }
    if (before != nullptr) {
        held != 0 ? sigaddset(before, ours()) : sigdelset(before, ours());
    }
    return 0;
}

}  // namespace

namespace {

void send_again(siginfo_t& info) {
    const long process_id = syscall(SYS_getpid);
    if (info.si_code == SI_TKILL) {
        syscall(SYS_rt_tgsigqueueinfo, process_id, syscall(SYS_gettid), ours(), &info);
    } else {
        syscall(SYS_rt_sigqueueinfo, process_id, ours(), &info);
    }
}

// The program has blocked the signal in this thread, and somebody has sent it one: then it must wait, for a sigwait,
// a signalfd or the program's unblocking it. So it is blocked in earnest when the handler returns, and sent again as
// it came. Overflows must not send any meanwhile: the thread is not sampled until the program changes its mask.
void leave_pending(ThreadState& thread, siginfo_t& info, ucontext_t* context) {
    const std::uint64_t only = bit(ours());
    const timespec at_once{};
    siginfo_t waiting;
    thread.muted = true;
    thread.counters.set_signalling(false);
    // An overflow's may be waiting already, and would be taken for the program's.
    while (syscall(SYS_rt_sigtimedwait, &only, &waiting, &at_once, sizeof only) == ours()) {
        if (waiting.si_code <= 0 && waiting.si_code != SI_TIMER) {
            send_again(waiting);
            break;
        }
    }
    send_again(info);
    sigaddset(&context->uc_sigmask, ours());
}

}  // namespace

bool install_handler() {
    struct sigaction action{};
    action.sa_sigaction = kymo_signal_entry;
    // On the alternate stack where there is one: runtimes with small stacks (Go, Rust) count on that.
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    // Nothing may interrupt the handler, or a handler of the program could jump out of it: nor the C library's own
    // two signals (32, cancellation, and 33), which sigfillset leaves out.
    std::memcpy(&action.sa_mask, &kymo::kAllSignals, sizeof kymo::kAllSignals);
    const kymo::Locked locked(action_lock);
    // What was there is the program's: an "ignore" that outlived an exec, or nothing.
    return real_sigaction.get()(ours(), &action, &programs_action) == 0;
}

namespace {

void forward_to_program(int signal, siginfo_t* info, void* context) {
    if (ThreadState* thread = this_thread(); thread != nullptr && thread->programs_mask_bit != 0) {
        leave_pending(*thread, *info, static_cast<ucontext_t*>(context));
        return;
    }
    struct sigaction action;
    {
        const kymo::Locked locked(action_lock);
        action = programs_action;
        if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
            programs_action.sa_handler = SIG_DFL;
        }
    }
    if ((action.sa_flags & SA_SIGINFO) != 0) {
        if (action.sa_sigaction != nullptr) {
            action.sa_sigaction(signal, info, context);
        }
    } else if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
        action.sa_handler(signal);
    }
}

}  // namespace

// A signal with the sampling signal's number that the monitor did not cause: on the stack where the kernel has put
// it.
void kymo_forward_signal(int signal, siginfo_t* info, void* context) {
    const int error = errno;
    forward_to_program(signal, info, context);
    errno = error;
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

// Waits with a mask of its own: while it lasts the program believes that mask, so a signal that it lets through is
// its.
KYMO_INTERPOSE int sigsuspend(const sigset_t* mask) {
    const auto real = real_sigsuspend.get();
    ThreadState* thread = this_thread();
    if (thread == nullptr || !active() || thread->programs_mask_bit == 0 || sigismember(mask, ours()) == 1) {
        return real(mask);
    }
    const std::uint64_t held = thread->programs_mask_bit;
    thread->programs_mask_bit = 0;
    const int result = real(mask);
    thread->programs_mask_bit = held;
    return result;
}
