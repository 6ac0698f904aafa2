#include "monitor/interpose/interrupted_calls.h"

#include "monitor/interpose/seccomp.h"
#include "monitor/native.h"
#include "monitor/process/process.h"

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

// Those that fail with EINTR for a handler without SA_RESTART. Not clone and similar: these are always restarted,
// and their callers do not handle EINTR.
constexpr long kInterruptible[] = {
    SYS_read,     SYS_readv,     SYS_pread64,   SYS_preadv,       SYS_preadv2,         SYS_write,  SYS_writev,
    SYS_pwrite64, SYS_pwritev,   SYS_pwritev2,  SYS_openat,       SYS_ioctl,           SYS_fcntl,  SYS_flock,
    SYS_accept,   SYS_accept4,   SYS_connect,   SYS_recvfrom,     SYS_recvmsg,         SYS_sendto, SYS_sendmsg,
    SYS_sendfile, SYS_splice,    SYS_tee,       SYS_vmsplice,     SYS_copy_file_range, SYS_wait4,  SYS_waitid,
    SYS_fsync,    SYS_getrandom, SYS_fallocate, SYS_mq_timedsend, SYS_mq_timedreceive,
#ifdef SYS_open
    SYS_open,     SYS_creat,
#endif
#ifdef SYS_openat2
    SYS_openat2,
#endif
};

bool may_be_interrupted(const ucontext_t& context) {
    const long number = native::call_number(context);
    if (number == SYS_futex) {
        const unsigned long command = native::second_argument(context) & static_cast<unsigned long>(FUTEX_CMD_MASK);
        return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
    }
    return std::ranges::find(kInterruptible, number) != std::end(kInterruptible);
}

bool interrupts_calls(int signal) {
    constexpr std::uint64_t kIgnored = 1;  // SIG_IGN; SIG_DFL is 0
    native::KernelAction action;
    return syscall(SYS_rt_sigaction, signal, nullptr, &action, sizeof action.mask) == 0 &&
           action.handler > kIgnored && (action.flags & SA_RESTART) == 0;
}

// Signals that the kernel will deliver as soon as this handler has returned, without the sampling signal.
std::uint64_t signals_to_come(const ucontext_t& context) {
    std::uint64_t pending = 0;
    std::uint64_t blocked = 0;
    std::memcpy(&blocked, &context.uc_sigmask, sizeof blocked);
    if (syscall(SYS_rt_sigpending, &pending, sizeof pending) != 0) {
        return 0;
    }
    return pending & ~blocked & ~(std::uint64_t{1} << (process.session().signal - 1));
}

}  // namespace

void interrupt_call_for_program(ucontext_t& context) {
    if (!native::is_about_to_call_again(context) || !may_be_interrupted(context) || !may_ask_about_signals()) {
        return;
    }
    for (std::uint64_t left = signals_to_come(context); left != 0; left &= left - 1) {
        if (interrupts_calls(std::countr_zero(left) + 1)) {
            native::fail_as_interrupted(context);
            return;
        }
    }
}

}  // namespace kymo::monitor
