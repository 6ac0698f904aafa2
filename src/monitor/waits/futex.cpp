// syscall(SYS_futex, …): waiting as programs and headers (std::atomic::wait, std::latch) build it themselves. The
// object is the word's address; who woke the waiter is who last woke that word's, or, for a lock with priority
// inheritance, the owner, whose thread id the word holds. The calls come from syscall()'s entry (raw_system_calls.h).

#include "monitor/interpose/raw_system_calls.h"
#include "monitor/waits/waits.h"

#if defined(__x86_64__)

#include <cerrno>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

using namespace kymo::monitor;

namespace {

enum class FutexUse : std::uint8_t { kOther, kWait, kLock, kWake };

FutexUse use_of(long operation) {
    constexpr int kLockPi2 = 13;  // FUTEX_LOCK_PI2: Linux 5.14
    switch (static_cast<int>(operation) & FUTEX_CMD_MASK) {
        case FUTEX_WAIT:
        case FUTEX_WAIT_BITSET:
        case FUTEX_WAIT_REQUEUE_PI:
            return FutexUse::kWait;
        case FUTEX_LOCK_PI:
        case kLockPi2:
            return FutexUse::kLock;
        case FUTEX_WAKE:
        case FUTEX_WAKE_BITSET:
        case FUTEX_WAKE_OP:
        case FUTEX_REQUEUE:
        case FUTEX_CMP_REQUEUE:
        case FUTEX_CMP_REQUEUE_PI:
            return FutexUse::kWake;
        default:
            return FutexUse::kOther;
    }
}

// The thread that holds a lock with priority inheritance. Whether the word is memory at all is the kernel's to say,
// of the program's own call; so the kernel is asked first, by a wait for a value that the word does not have.
std::uint64_t owner_of(const std::uint32_t* word, long operation) {
    constexpr std::uint32_t kNever = 0xFFFF'FFFF;
    const timespec at_once{};
    const int error = errno;
    syscall(SYS_futex, word, FUTEX_WAIT | (operation & FUTEX_PRIVATE_FLAG), kNever, &at_once);
    const bool readable = errno == EAGAIN;
    errno = error;
    return readable ? __atomic_load_n(word, __ATOMIC_RELAXED) & FUTEX_TID_MASK : 0;
}

}  // namespace

long kymo_futex_call(long number, long word, long operation, long value, long timeout, long other, long last) {
    const auto real = kymo_next_syscall;
    const auto call = [=] { return real(number, word, operation, value, timeout, other, last); };
    const FutexUse use = use_of(operation);
    if (use == FutexUse::kOther || is_own_code(__builtin_return_address(0))) {
        return call();
    }
    const auto* object = reinterpret_cast<const std::uint32_t*>(word);
    if (use == FutexUse::kWake) {
        note_waker(object);
        return call();
    }
    if (use == FutexUse::kWait) {
        return waited(WaitKind::kFutex, address_of(object), 0, call, [=] { return waker_of(object); });
    }
    return waited(WaitKind::kFutex, address_of(object), owner_of(object, operation), call);
}

#endif
