#include "monitor/interpose/program_signals.h"

#include "monitor/interpose/real.h"
#include "monitor/process/process.h"
#include "monitor/sampling/signal_entry.h"
#include "monitor/threads/registry.h"

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
// Bit n−1: the program has named the stand-in in the mask of its handler of signal n.
std::atomic<std::uint64_t> masks_with_stand_in{0};

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

// The signal that is blocked where the program blocks the sampling signal: it is practically never sent, and
// hardly ever named except in a mask of all.
int stand_in() {
    constexpr int kFirst = SIGPWR;
#ifdef SIGSTKFLT
    return ours() == SIGSTKFLT ? kFirst : SIGSTKFLT;
#else
    return kFirst;
#endif
}

// Converts the program's set to the kernel's. Returns whether the program has named the stand-in.
bool translate(sigset_t& set) {
    const bool named = sigismember(&set, stand_in()) == 1;
    sigismember(&set, ours()) == 1 ? sigaddset(&set, stand_in()) : sigdelset(&set, stand_in());
    sigdelset(&set, ours());
    return named;
}

// The reverse.
void show(sigset_t& set, bool has_stand_in) {
    if (sigismember(&set, stand_in()) == 1) {
        sigaddset(&set, ours());
    }
    has_stand_in ? sigaddset(&set, stand_in()) : sigdelset(&set, stand_in());
}

// The entry, with those of the program's flags that only the kernel can implement: whether calls are restarted,
// and on which stack handlers run. A program without a handler gets the best ones for samples: calls are
// restarted, and the alternate stack is used if there is one (runtimes with small stacks, as Go's and Rust's,
// depend on that).
struct sigaction entry_for(const struct sigaction& programs) {
    constexpr unsigned kKernels = SA_RESTART | SA_ONSTACK;
    const bool has_none = programs.sa_handler == SIG_DFL || programs.sa_handler == SIG_IGN;
    struct sigaction action{};
    action.sa_sigaction = kymo_signal_entry;
    action.sa_flags =
        static_cast<int>(SA_SIGINFO | (has_none ? kKernels : static_cast<unsigned>(programs.sa_flags) & kKernels));
    // Nothing may interrupt the handler, or a handler of the program could jump out of it: this includes the C
    // library's own two signals (32, cancellation, and 33), which sigfillset leaves out.
    std::memcpy(&action.sa_mask, &kymo::kAllSignals, sizeof kymo::kAllSignals);
    return action;
}

int change_own_action(const struct sigaction* action, struct sigaction* before) {
    const kymo::Quiet quiet;
    const kymo::Locked locked(action_lock);
    const struct sigaction old = programs_action;
    if (action != nullptr) {
        programs_action = *action;
        const struct sigaction entry = entry_for(programs_action);
        real_sigaction.get()(ours(), &entry, nullptr);
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
    const bool had = (masks_with_stand_in.load() & bit(signal)) != 0;
    bool has = had;
    struct sigaction changed{};
    if (action != nullptr) {
        changed = *action;
        has = translate(changed.sa_mask);
    }
    const int result = real_sigaction.get()(signal, action == nullptr ? nullptr : &changed, before);
    if (result != 0) {
        return result;
    }
    if (before != nullptr) {
        show(before->sa_mask, had);
    }
    if (action != nullptr) {
        has ? masks_with_stand_in.fetch_or(bit(signal)) : masks_with_stand_in.fetch_and(~bit(signal));
    }
    return 0;
}

void end_muting(ThreadState& thread) {
    if (thread.muted) {
        thread.muted = false;
        thread.counters.set_signalling(true);
    }
}

int change_thread_mask(int how, const sigset_t* set, sigset_t* before) {
    const auto real = real_pthread_sigmask.get();
    ThreadState* thread = this_thread();
    if (thread == nullptr || !active()) {
        return real(how, set, before);
    }
    ProgramsMask& programs = thread->programs_mask;
    const ProgramsMask held = programs;
    sigset_t changed;
    if (set != nullptr) {
        changed = *set;
        const bool named = sigismember(set, ours()) == 1;
        const bool named_stand_in = translate(changed);
        if (how == SIG_UNBLOCK && named) {
            sigaddset(&changed, ours());  // it may be really blocked (leave_pending)
        }
        programs.has_stand_in = how == SIG_BLOCK     ? held.has_stand_in || named_stand_in
                                : how == SIG_UNBLOCK ? held.has_stand_in && !named_stand_in
                                                     : named_stand_in;
        programs.lets_through = false;
        // Before the mask itself, which may let a pending signal arrive.
        if (how == SIG_SETMASK || (how == SIG_UNBLOCK && named)) {
            end_muting(*thread);
        }
    }
    const int error = real(how, set == nullptr ? nullptr : &changed, before);
    if (error != 0) {
        programs = held;
        return error;
    }
    if (before != nullptr) {
        show(*before, held.has_stand_in);
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

}  // namespace

// There may be one of an overflow and one of a timer: the kernel queues a timer's beside another (send_sigqueue),
// and before Linux 6.13 that of a deleted timer stays.
void take_pending_signals() {
    const std::uint64_t only = bit(ours());
    const timespec at_once{};
    siginfo_t waiting;
    siginfo_t programs;
    bool is_programs = false;
    while (syscall(SYS_rt_sigtimedwait, &only, &waiting, &at_once, sizeof only) == ours()) {
        if (waiting.si_code <= 0 && waiting.si_code != SI_TIMER) {
            programs = waiting;
            is_programs = true;
        }
    }
    if (is_programs) {  // once no other is left, beside which the kernel would drop it
        send_again(programs);
    }
}

namespace {

// The program has blocked the signal in this thread, and it was sent by another source: it must stay pending, for
// a sigwait, a signalfd or the program's unblocking it. So it is really blocked when the handler returns, and sent
// again as it arrived. Overflows must not send any meanwhile: the thread is not sampled until the program changes
// its mask.
void leave_pending(ThreadState& thread, siginfo_t& info, ucontext_t* context) {
    thread.muted = true;
    thread.counters.set_signalling(false);
    // An overflow's may be pending already, and would be taken for the program's.
    take_pending_signals();
    send_again(info);
    sigaddset(&context->uc_sigmask, ours());
}

}  // namespace

std::uint64_t ProgramsMask::shown(std::uint64_t kernels) const {
    const std::uint64_t blocked = kernels & bit(stand_in()) ? bit(ours()) : 0;
    return (kernels & ~bit(stand_in())) | blocked | (has_stand_in ? bit(stand_in()) : 0);
}

// Masks outlive an exec: the stand-in may be blocked by the program before. Whether that one has named it too is
// guessed, by another signal that is hardly ever blocked except with all.
std::uint64_t ProgramsMask::adopt(std::uint64_t kernels) {
    const bool blocked = (kernels & bit(ours())) != 0;
    const int neighbour = stand_in() == SIGPWR ? SIGSYS : SIGPWR;
    has_stand_in = (kernels & bit(stand_in())) != 0 && (blocked || (kernels & bit(neighbour)) != 0);
    return (kernels & ~bit(ours())) | (blocked ? bit(stand_in()) : 0);
}

MaskWhileWaiting::MaskWhileWaiting(const sigset_t* mask) : mask_(mask) {
    ThreadState* thread = this_thread();
    if (mask == nullptr || thread == nullptr || !active() || sigismember(mask, ours()) == 1) {
        return;
    }
    changed_ = *mask;
    sigdelset(&changed_, stand_in());
    mask_ = &changed_;
    lets_through_ = &thread->programs_mask.lets_through;
    *lets_through_ = true;
}

MaskWhileWaiting::~MaskWhileWaiting() {
    if (lets_through_ != nullptr) {
        *lets_through_ = false;
    }
}

bool install_handler() {
    const struct sigaction action = entry_for({});
    const kymo::Locked locked(action_lock);
    // The previous action is the program's: an "ignore" that outlived an exec, or none.
    return real_sigaction.get()(ours(), &action, &programs_action) == 0;
}

namespace {

void forward_to_program(int signal, siginfo_t* info, void* context) {
    auto* interrupted = static_cast<ucontext_t*>(context);
    if (ThreadState* thread = this_thread(); thread != nullptr) {
        if (sigismember(&interrupted->uc_sigmask, stand_in()) == 1 && !thread->programs_mask.lets_through) {
            leave_pending(*thread, *info, interrupted);
            return;
        }
        // In a call that waits with a mask of its own, this is the mask to return to, saved when the signal was
        // really blocked. It is not blocked any more; otherwise the next one of an overflow would stay pending
        // there, and hide the program's next one.
        sigdelset(&interrupted->uc_sigmask, ours());
        end_muting(*thread);
    }
    struct sigaction action;
    {
        const kymo::Locked locked(action_lock);
        action = programs_action;
        if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
            programs_action.sa_handler = SIG_DFL;
        }
    }
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) {
        return;
    }
    // The monitor's handler blocks every signal; the program's blocks those of its mask. The kernel restores the
    // mask at its end.
    std::uint64_t mask = 0;
    sigset_t named = action.sa_mask;
    if ((action.sa_flags & SA_NODEFER) == 0) {
        sigaddset(&named, ours());
    }
    translate(named);
    std::memcpy(&mask, &named, sizeof mask);
    std::uint64_t before = 0;  // the kernel's frame has 64 signals, not all that a sigset_t has room for
    std::memcpy(&before, &interrupted->uc_sigmask, sizeof before);
    kymo::change_mask(SIG_SETMASK, mask | before);
    if ((action.sa_flags & SA_SIGINFO) != 0) {
        action.sa_sigaction(signal, info, context);
    } else {
        action.sa_handler(signal);
    }
}

}  // namespace

// A signal with the sampling signal's number that the monitor did not cause: handled on the stack that the kernel
// chose.
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
