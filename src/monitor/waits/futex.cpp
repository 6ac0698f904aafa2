// syscall(SYS_futex, …): waiting as programs and headers (std::atomic::wait, std::latch) implement it themselves.
// The object is the word's address. The waker is the thread that last woke that word's waiters or, for a lock with
// priority inheritance, the owner, whose thread id the word contains. The calls come from syscall()'s entry
// (raw_system_calls.h).

#include "monitor/interpose/raw_system_calls.h"
#include "monitor/waits/waits.h"

#include <cerrno>
#include <linux/futex.h>
#include <sys/syscall.h>

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
    // Tried first, like every lock: taking a free one is not a wait, however long other threads have the processor
    // meanwhile. Only the result that another thread has it (EAGAIN) also shows that the word is mapped, and may
    // be read.
    constexpr long kFlags = FUTEX_PRIVATE_FLAG;
    const int error = errno;
    if (real(number, word, FUTEX_TRYLOCK_PI | (operation & kFlags), 0, 0, 0, 0) == 0) {
        return 0;
    }
    const bool held = errno == EAGAIN;
    errno = error;
    const std::uint64_t owner = held ? __atomic_load_n(object, __ATOMIC_RELAXED) & FUTEX_TID_MASK : 0;
    return waited(WaitKind::kFutex, address_of(object), owner, call);
}
