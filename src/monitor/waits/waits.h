// Waiting as a measured event: every wrapper of a function that may block uses waited().
//
// Contract. The wrapper is transparent: arguments, result and errno are those of the real function. A thread that
// is cancelled inside, or left by a longjmp, leaves only WaitState's open wait behind, which its next wait or its
// end handles. No lock is held while the real function runs. Called before the monitor runs, in a vfork child,
// from the monitor itself or from an unmeasured thread, it only calls the real function.
//
// Cost: about 100 ns per call that may block (two clock readings); locks try first and come here only when that
// fails. Waits of kBriefWaitNs and more also cost a walk of the stack and a row, after the wait.
#pragma once

#include "monitor/interpose/real.h"
#include "monitor/part.h"
#include "monitor/speed_up/speed_up.h"
#include "monitor/threads/registry.h"
#include "recording/tables.h"
#include "unwind/walk.h"

#include <cstdint>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

using recording::WaitKind;

class Waiting : public Part {
  public:
    static bool begin();
    static void thread_begin(ThreadState& thread) { thread.waits.clear(); }
};

extern Waiting waiting;

// A thread made by a raw clone without thread-local storage of its own finds its creator's. It runs on another
// stack; if the stack is not conclusive (coroutines), the kernel is called.
inline bool is_calling(const ThreadState& thread) {
    return thread.stack.holds(reinterpret_cast<std::uint64_t>(__builtin_frame_address(0))) ||
           syscall(SYS_gettid) == thread.tid;
}

// The calling thread, if its waits are measured; otherwise nullptr.
inline ThreadState* waiting_thread() {
    ThreadState* thread = this_thread();
    return thread != nullptr && process.running() && !process.paused() && is_calling(*thread) ? thread : nullptr;
}

// Whether this is an address of the monitor's own code. Its own calls of wrapped functions are not recorded as
// waits.
bool is_own_code(const void* address);

// One wrapper of a function: result, name, parameters in brackets, arguments in brackets, the measured call as an
// expression in which the function is `real`, what the C library's declaration ends with (noexcept or nothing). All
// is looked up when the library is loaded: most are async-signal-safe and stay so.
#define KYMO_MEASURED_CALL(RESULT, NAME, PARAMETERS, ARGUMENTS, MEASURED, ...) \
    namespace {                                                                \
    Real<RESULT(*) PARAMETERS> real_##NAME{#NAME};                             \
    __attribute__((constructor)) void look_up_##NAME() {                       \
        real_##NAME.get();                                                     \
    }                                                                          \
    }                                                                          \
    KYMO_INTERPOSE RESULT NAME PARAMETERS __VA_ARGS__ {                        \
        const auto real = real_##NAME.get();                                   \
        if (is_own_code(__builtin_return_address(0))) {                        \
            return real ARGUMENTS;                                             \
        }                                                                      \
        return MEASURED;                                                       \
    }

// Of a call that may block in the kernel: result, name, kind, object, and the rest as above.
#define KYMO_WAITING_CALL(RESULT, NAME, KIND, OBJECT, PARAMETERS, ARGUMENTS, ...)                        \
    KYMO_MEASURED_CALL(                                                                                  \
        RESULT, NAME, PARAMETERS, ARGUMENTS,                                                             \
        (waited(WaitKind::KIND, static_cast<std::uint64_t>(OBJECT), 0, [&] { return real ARGUMENTS; })), \
        __VA_ARGS__)

// Ends the calling thread's open wait; keeps errno. waker: the thread known to have ended it, 0: none. is_over: what
// was waited for has come; false: the time was up, or the call failed. Returns the time.
std::uint64_t end_wait_here(ThreadState& thread, std::uint64_t begin, std::uint64_t waker, bool is_over);
__attribute__((always_inline)) inline std::uint64_t end_wait(ThreadState& thread, std::uint64_t begin,
                                                             std::uint64_t waker, bool is_over = true) {
    const std::uint64_t end = end_wait_here(thread, begin, waker, is_over);
    // Not the caller's last instruction: its frame, where the wait's path begins, must stay on the stack meanwhile,
    // and a sample that is taken further up would take the thread for having left the wait (WaitState::is_left_at).
    asm volatile("");
    return end;
}

// A wait as a row of the thread's stream, which has been announced.
void write_wait(ThreadState& thread, const WaitState& wait, std::uint64_t begin, std::uint64_t end, ContextId context,
                std::uint64_t flags);

// The kernel's id of a thread of this process; 0: it has ended.
int thread_id_of(pthread_t handle);

// ---- wakers of waiting threads -----------------------------------------------------------------------

// Notes that this thread signals, posts or arrives at an object: a plain store into a small table (wakers.h).
// round: which use of an object that is used again and again, where that is known.
void note_waker(const void* object, std::uint64_t round = 0);
// The last thread to do so, 0: not known.
std::uint64_t waker_of(const void* object, std::uint64_t round = 0);

// As if that thread had.
void note_waker_is(const void* object, std::uint64_t tid);

// This thread has taken a lock. In a virtual speed-up, a thread that waits for the lock then takes this one for its
// waker. Otherwise it costs one load.
inline void note_taken(const void* lock) {
    if (__builtin_expect(speed_up.on(), 0)) {
        note_waker(lock);
    }
}

// ---- the wait ----------------------------------------------------------------------------------------

// object: see recording::WaitKind. holder: thread id, 0 not known. waker(): called after the wait, thread id or 0.
template <typename Call, typename Waker>
__attribute__((always_inline)) inline auto waited(WaitKind kind, std::uint64_t object, std::uint64_t holder,
                                                  const Call& call, const Waker& waker) {
    ThreadState* thread = waiting_thread();
    if (thread == nullptr || thread->waits.is_in_team_wait()) {
        return call();
    }
    WaitState& state = thread->waits;
    state.kind = kind;
    state.object = object;
    state.holder = holder;
    unwind::capture_here(state.registers);
    const std::uint64_t begin = clock_now();
    state.open(begin, thread->taken_ns);
    const auto result = call();
    // A barrier's result is not 0 in one of its threads.
    end_wait(*thread, begin, waker(), !result || kind == WaitKind::kBarrier);
    return result;
}

template <typename Call>
__attribute__((always_inline)) inline auto waited(WaitKind kind, std::uint64_t object, std::uint64_t holder,
                                                  const Call& call) {
    return waited(kind, object, holder, call, [] { return std::uint64_t{0}; });
}

inline std::uint64_t address_of(const void* object) {
    return reinterpret_cast<std::uint64_t>(object);
}

}  // namespace kymo::monitor
