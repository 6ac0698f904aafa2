#include "import/waits/blocking_call.h"

#include "import/native.h"

#include <linux/futex.h>
#include <sys/syscall.h>

namespace kymo::import {
namespace {

using recording::WaitKind;

std::optional<BlockingCall> futex_call(std::uint64_t word, std::uint64_t operation) {
    switch (static_cast<int>(operation) & FUTEX_CMD_MASK) {
        case FUTEX_WAIT:
        case FUTEX_WAIT_BITSET:
        case FUTEX_WAIT_REQUEUE_PI:
        case FUTEX_LOCK_PI:
            return BlockingCall{WaitKind::kFutex, word};
        default:
            return std::nullopt;
    }
}

// Its object is the descriptor.
std::optional<WaitKind> call_on_descriptor(std::uint64_t number) {
    switch (number) {
        case SYS_read:
        case SYS_readv:
        case SYS_pread64:
        case SYS_preadv:
        case SYS_preadv2:
        case SYS_recvfrom:
        case SYS_recvmsg:
        case SYS_recvmmsg:
            return WaitKind::kRead;
        case SYS_write:
        case SYS_writev:
        case SYS_pwrite64:
        case SYS_pwritev:
        case SYS_pwritev2:
        case SYS_sendto:
        case SYS_sendmsg:
        case SYS_sendmmsg:
        case SYS_sendfile:
            return WaitKind::kWrite;
        case SYS_accept:
        case SYS_accept4:
            return WaitKind::kAccept;
        case SYS_connect:
            return WaitKind::kConnect;
        case SYS_fsync:
        case SYS_fdatasync:
        case SYS_syncfs:
        case SYS_sync_file_range:
            return WaitKind::kSync;
        case SYS_flock:
            return WaitKind::kFileLock;
        case SYS_epoll_pwait:
        case SYS_epoll_pwait2:
#ifdef SYS_epoll_wait  // newer processors have the other two alone, as below
        case SYS_epoll_wait:
#endif
            return WaitKind::kPoll;
        default:
            return std::nullopt;
    }
}

std::optional<WaitKind> call_on_nothing(std::uint64_t number) {
    switch (number) {
        case SYS_ppoll:
        case SYS_pselect6:
#ifdef SYS_poll
        case SYS_poll:
        case SYS_select:
#endif
            return WaitKind::kPoll;
        case SYS_nanosleep:
        case SYS_clock_nanosleep:
            return WaitKind::kSleep;
        case SYS_wait4:
        case SYS_waitid:
            return WaitKind::kChild;
        case SYS_rt_sigsuspend:
        case SYS_rt_sigtimedwait:
#ifdef SYS_pause
        case SYS_pause:
#endif
            return WaitKind::kSignal;
        case SYS_msync:
        case SYS_sync:
            return WaitKind::kSync;
        default:
            return std::nullopt;
    }
}

}  // namespace

std::optional<BlockingCall> blocking_call(std::uint64_t number, const std::array<std::uint64_t, 4>& arguments) {
    if (number == SYS_futex) {
        return futex_call(arguments[0], arguments[1]);
    }
    if (const auto kind = call_on_descriptor(number)) {
        return BlockingCall{*kind, static_cast<std::uint32_t>(arguments[0])};
    }
    if (const auto kind = call_on_nothing(number)) {
        return BlockingCall{*kind, 0};
    }
    switch (number) {
        case SYS_msgrcv:
        case SYS_msgsnd:
            return BlockingCall{WaitKind::kMessage, arguments[0]};
        case SYS_semop:
        case SYS_semtimedop:
            return BlockingCall{WaitKind::kSemaphore, arguments[0]};
        default:
            return std::nullopt;
    }
}

std::optional<std::uint64_t> number_of_call(std::span<const std::uint8_t> code) {
    return native::number_of_call(code);
}

}  // namespace kymo::import
