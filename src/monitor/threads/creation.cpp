// Thread creation: the creating thread's context is kept as the new thread's, and the new thread measures itself
// before the program's own function runs.

#include "monitor/interpose/real.h"
#include "monitor/sampling/path.h"
#include "monitor/sampling/sampling.h"
#include "monitor/threads/busy.h"
#include "monitor/threads/exit_key.h"
#include "monitor/threads/life.h"
#include "monitor/threads/registry.h"

#include <cerrno>
#include <pthread.h>
#include <threads.h>

namespace kymo::monitor {

namespace {

using Start = void* (*)(void*);

// The requested size, or the C library's default.
std::size_t stack_bytes(const pthread_attr_t* asked) {
    std::size_t bytes = 0;
    if (asked != nullptr) {
        return pthread_attr_getstacksize(asked, &bytes) == 0 ? bytes : 0;
    }
    pthread_attr_t usual;
    if (pthread_attr_init(&usual) != 0) {
        return 0;
    }
    pthread_attr_getstacksize(&usual, &bytes);
    pthread_attr_destroy(&usual);
    return bytes;
}

// The stack of the calling thread. glibc puts a thread's descriptor, whose address is the thread's handle, at the
// stack's upper end, and thread-local storage beside it. (pthread_getattr_np allocates, which would give every
// thread a malloc arena.)
StackBounds own_stack(std::size_t bytes) {
    constexpr std::uint64_t kDescriptor = 4096;  // 2,304 bytes in glibc 2.36
    const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
    const auto high = static_cast<std::uint64_t>(pthread_self());
    if (bytes < 2 * kDescriptor || high <= here || high - here >= bytes) {
        return {};
    }
    return {high - bytes + kDescriptor, high};
}

bool blocks_ours(std::uint64_t mask) {
    return (mask >> (process.session().signal - 1) & 1U) != 0;
}

void* run_measured(void* given) {
    auto* thread = static_cast<ThreadState*>(given);
    const Start start = thread->start;
    void* argument = thread->argument;
    const StackBounds stack = own_stack(thread->stack_bytes);
    {
        kymo::Quiet quiet;
        if (process.running()) {
            on_own_stack(thread->own_stack_top, [&] { begin_thread(*thread, stack, Sampling::of_created_thread()); });
            set_this_thread(thread);
            // Really blocked, though not by its creator but by its attributes (pthread_attr_setsigmask_np).
            if (!thread->inherits_block && blocks_ours(quiet.mask_before())) {
                quiet.leave(thread->programs_mask.adopt(quiet.mask_before()));
            }
        } else {
            threads.give_back(thread);
        }
    }
    return exit_key::is_given_up() ? run_to_its_end(start, argument) : start(argument);
}

// Fills in the creator's data for the new thread; nullptr if the thread must run unmeasured.
ThreadState* prepare(Start start, void* argument, const pthread_attr_t* attributes, const unwind::Registers& here,
                     const unwind::FloatRegisters& floats) {
    if (!process.running() || !process.is_this_process()) {
        return nullptr;
    }
    const std::size_t bytes = stack_bytes(attributes);
    const kymo::Quiet quiet;
    ThreadState* thread = threads.take_state();
    if (thread == nullptr) {
        return nullptr;
    }
    thread->start = start;
    thread->argument = argument;
    thread->stack_bytes = bytes;
    thread->creation = {};
    thread->programs_mask = {};
    thread->inherits_block = blocks_ours(quiet.mask_before());
    if (ThreadState* creator = this_thread(); creator != nullptr) {
        thread->programs_mask.has_stand_in = creator->programs_mask.has_stand_in;
        thread->creation.creator = creator->stream;
        thread->creation.blocked_signals = creator->programs_mask.shown(quiet.mask_before());
        thread->creation.registers = here;
        thread->creation.float_registers = floats;
        if (const Busy busy(*creator); busy.may_write()) {
            const OwnWork work(*creator);
            thread->creation.context = enter_own_path(*creator, here);
            thread->creation.knows_caller = caller_registers(*creator, here, &thread->creation.caller);
        }
        thread->creation.paid = creator->delays.paid;
        thread->creation.known = true;
    }
    return thread;
}

// The thread was not created.
void forget(ThreadState* thread) {
    const kymo::Quiet quiet;
    threads.give_back(thread);
}

Real<int (*)(pthread_t*, const pthread_attr_t*, Start, void*)> real_pthread_create{"pthread_create"};
Real<int (*)(thrd_t*, thrd_start_t, void*)> real_thrd_create{"thrd_create"};

}  // namespace

}  // namespace kymo::monitor

using namespace kymo::monitor;

KYMO_INTERPOSE int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, Start start, void* argument) {
    const kymo::unwind::FloatRegisters floats = kymo::unwind::capture_float_here();  // before any call
    const auto real = real_pthread_create.get();
    const kymo::unwind::Registers here = kymo::unwind::capture_here();
    ThreadState* thread = prepare(start, argument, attributes, here, floats);
    if (thread == nullptr) {
        return real(handle, attributes, start, argument);
    }
    const int error = real(handle, attributes, run_measured, thread);
    if (error != 0) {
        forget(thread);
    }
    return error;
}

// glibc's own thrd_create does not go through the pthread_create that a library can replace.
KYMO_INTERPOSE int thrd_create(thrd_t* handle, thrd_start_t start, void* argument) {
    const kymo::unwind::FloatRegisters floats = kymo::unwind::capture_float_here();
    const auto real = real_thrd_create.get();
    const kymo::unwind::Registers here = kymo::unwind::capture_here();
    // A C11 thread function returns int where a POSIX one returns a pointer: on the architectures Kymo runs on both
    // come back in the same register, and the int's value is all that thrd_join looks at.
    // NOLINTBEGIN(bugprone-casting-through-void)
    ThreadState* thread =
        prepare(reinterpret_cast<Start>(reinterpret_cast<void*>(start)), argument, nullptr, here, floats);
    if (thread == nullptr) {
        return real(handle, start, argument);
    }
    const int error = real(handle, reinterpret_cast<thrd_start_t>(reinterpret_cast<void*>(run_measured)), thread);
    // NOLINTEND(bugprone-casting-through-void)
    if (error != thrd_success) {
        forget(thread);
    }
    return error;
}
