// syscall(SYS_futex, …): waiting as programs and headers (std::atomic::wait, std::latch) build it themselves. The
// object is the word's address; who woke the waiter is who last woke that word's, or, for a lock with priority
// inheritance, the owner, whose thread id the word holds.
//
// The entry of syscall() looks at the number and goes on to the next library's syscall() by a jump, without a frame
// of its own: a child that a raw clone or vfork gives another stack, or the same one, returns as it would from
// glibc's. Anything but a futex costs a comparison and that jump. Only x86-64 has the entry; elsewhere syscall() is
// left alone.

#include "monitor/waits/waits.h"

#if defined(__x86_64__)

#include <cerrno>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

using namespace kymo::monitor;

// What the entry and the functions here know of each other. NOLINTBEGIN(readability-identifier-naming)
extern "C" {
using SystemCall = long (*)(long, long, long, long, long, long, long);
__attribute__((visibility("hidden"))) long kymo_plain_syscall(long, long, long, long, long, long, long);
__attribute__((visibility("hidden"), used)) SystemCall kymo_next_syscall = kymo_plain_syscall;
__attribute__((visibility("hidden"), used)) long kymo_syscall_failed(int error) {
    errno = error;
    return -1;
}
__attribute__((visibility("hidden"), used)) long kymo_futex_call(long number, long word, long operation, long value,
                                                                 long timeout, long other, long last);
}
// NOLINTEND(readability-identifier-naming)

static_assert(SYS_futex == 202);

// kymo_plain_syscall serves until the library's constructor has looked the next one up.
asm(R"(
    .text
    .globl syscall
    .type syscall, @function
syscall:
    .cfi_startproc
    endbr64
    cmpq $202, %rdi
    je kymo_futex_call
    movq kymo_next_syscall(%rip), %r11
    jmp *%r11
    .cfi_endproc
    .size syscall, .-syscall

    .hidden kymo_plain_syscall
    .globl kymo_plain_syscall
    .type kymo_plain_syscall, @function
kymo_plain_syscall:
    .cfi_startproc
    endbr64
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsi
    movq %rcx, %rdx
    movq %r8, %r10
    movq %r9, %r8
    movq 8(%rsp), %r9
    syscall
    cmpq $-4095, %rax
    jae 1f
    ret
1:  negl %eax
    movl %eax, %edi
    jmp kymo_syscall_failed
    .cfi_endproc
    .size kymo_plain_syscall, .-kymo_plain_syscall
)");

namespace {

__attribute__((constructor)) void look_up_syscall() {
    if (void* next = dlsym(RTLD_NEXT, "syscall"); next != nullptr) {
        kymo_next_syscall = reinterpret_cast<SystemCall>(next);
    }
}

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
