// Thread creation: the creating thread's context is kept as the new thread's, and the new thread measures itself
// before the program's own function runs.
//
// Thread exit is seen by a thread-specific-data destructor, which covers return, pthread_exit and cancellation alike.
// It asks to be called again until the last round, so that the program's own destructors are still measured.

#include "monitor/process.h"
#include "monitor/real.h"

#include <cerrno>
#include <limits.h>
#include <pthread.h>
#include <threads.h>

namespace kymo::monitor {

namespace {

thread_local ThreadState* current_thread = nullptr;

using Start = void* (*)(void*);

// What the new thread takes over. One page a thread being started, given back at once.
struct Launch {
    Start start;
    void* argument;
    CreationContext creation;
    std::uint64_t programs_mask_bit;
};

pthread_key_t exit_key;
bool exit_key_made = false;

void on_thread_exit(void* value) {
    auto* thread = static_cast<ThreadState*>(value);
    if (thread != current_thread) {
        return;
    }
    if (++thread->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(exit_key, thread) == 0) {
        return;
    }
    const Quiet quiet;
    current_thread = nullptr;
    process.end_thread(thread);
}

// The stack of the calling thread, from the C library, once a thread.
StackBounds own_stack() {
    pthread_attr_t attributes;
    void* low = nullptr;
    std::size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return {};
    }
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    const auto begin = reinterpret_cast<std::uint64_t>(low);
    return {begin, begin + bytes};
}

void* run_measured(void* given) {
    auto* launch = static_cast<Launch*>(given);
    const Start start = launch->start;
    void* argument = launch->argument;
    const StackBounds stack = own_stack();
    {
        const Quiet quiet;
        ThreadState* thread = process.running() ? process.begin_thread(&launch->creation, stack) : nullptr;
        if (thread != nullptr) {
            thread->programs_mask_bit = launch->programs_mask_bit;
            current_thread = thread;
            pthread_setspecific(exit_key, thread);
        }
        image::unmap_pages(launch, sizeof *launch);
    }
    return start(argument);
}

// Fills in what the new thread must know of its creator; nullptr when the thread is to run unmeasured.
Launch* prepare(Start start, void* argument, const unwind::Registers& here, const unwind::FloatRegisters& floats) {
    if (!process.running() || !process.is_this_process()) {
        return nullptr;
    }
    auto* launch = static_cast<Launch*>(image::map_pages(sizeof(Launch)));
    if (launch == nullptr) {
        return nullptr;
    }
    launch->start = start;
    launch->argument = argument;
    ThreadState* creator = current_thread;
    if (creator != nullptr) {
        const Quiet quiet;
        launch->programs_mask_bit = creator->programs_mask_bit;
        launch->creation.creator = creator->stream;
        launch->creation.blocked_signals = quiet.mask_before() | creator->programs_mask_bit;
        launch->creation.registers = here;
        launch->creation.float_registers = floats;
        if (const Busy busy(*creator); busy.may_write()) {
            creator->own_work_begin = clock_now();
            launch->creation.context = enter_own_path(*creator, here);
            creator->own_work_end = clock_now();
        }
        launch->creation.known = true;
    }
    return launch;
}

// The thread key must exist before the first thread; both entry points may be the first.
bool make_exit_key() {
    if (!exit_key_made) {
        exit_key_made = pthread_key_create(&exit_key, on_thread_exit) == 0;
    }
    return exit_key_made;
}

Real<int (*)(pthread_t*, const pthread_attr_t*, Start, void*)> real_pthread_create{"pthread_create"};
Real<int (*)(thrd_t*, thrd_start_t, void*)> real_thrd_create{"thrd_create"};

}  // namespace

ThreadState* this_thread() {
    return current_thread;
}

void set_this_thread(ThreadState* thread) {
    current_thread = thread;
    if (thread != nullptr && make_exit_key()) {
        pthread_setspecific(exit_key, thread);
    }
}

}  // namespace kymo::monitor

using namespace kymo::monitor;

KYMO_INTERPOSE int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, Start start, void* argument) {
    const auto real = real_pthread_create.get();
    const kymo::unwind::FloatRegisters floats = kymo::unwind::capture_float_here();
    const kymo::unwind::Registers here = kymo::unwind::capture_here();
    Launch* launch = prepare(start, argument, here, floats);
    if (launch == nullptr) {
        return real(handle, attributes, start, argument);
    }
    const int error = real(handle, attributes, run_measured, launch);
    if (error != 0) {
        kymo::image::unmap_pages(launch, sizeof *launch);
    }
    return error;
}

// glibc's own thrd_create does not go through the pthread_create that a library can replace.
KYMO_INTERPOSE int thrd_create(thrd_t* handle, thrd_start_t start, void* argument) {
    const auto real = real_thrd_create.get();
    const kymo::unwind::FloatRegisters floats = kymo::unwind::capture_float_here();
    const kymo::unwind::Registers here = kymo::unwind::capture_here();
    // A C11 thread function returns int where a POSIX one returns a pointer: on the architectures Kymo runs on both
    // come back in the same register, and the int's value is all that thrd_join looks at.
    // NOLINTBEGIN(bugprone-casting-through-void)
    Launch* launch = prepare(reinterpret_cast<Start>(reinterpret_cast<void*>(start)), argument, here, floats);
    if (launch == nullptr) {
        return real(handle, start, argument);
    }
    const int error = real(handle, reinterpret_cast<thrd_start_t>(reinterpret_cast<void*>(run_measured)), launch);
    // NOLINTEND(bugprone-casting-through-void)
    if (error != thrd_success) {
        kymo::image::unmap_pages(launch, sizeof *launch);
    }
    return error;
}
