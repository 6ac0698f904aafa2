// A thread's exit is seen by a thread-specific-data destructor, which covers return, pthread_exit and cancellation
// alike. It asks to be called again until the last round, so that the program's own destructors are still measured.

#include "monitor/threads/life.h"

#include "monitor/parts.h"
#include "monitor/process/log.h"
#include "monitor/sampling/signal_entry.h"
#include "monitor/threads/busy.h"
#include "monitor/threads/registry.h"
#include "monitor/threads/stream.h"
#include "monitor/waits/unfinished.h"

#include <limits.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

// A sample that came while signals were blocked has nobody to go to once its thread's state is given back.
void take_pending_signal() {
    const std::uint64_t ours = std::uint64_t{1} << (process.session().signal - 1);
    const timespec at_once{};
    syscall(SYS_rt_sigtimedwait, &ours, nullptr, &at_once, sizeof ours);
}

void end_thread(ThreadState& thread) {
    bool may_be_pending = true;
    if (const Busy busy(thread); busy.may_write()) {
        announce(thread);
        write_unfinished_wait(thread, clock_now(), true);
        SwitchRows::write(thread);
        const CounterValues values = write_stream_end(thread, true);
        process_counters.add_ended(values);
        may_be_pending = hunt.on() || thread.counters.may_have_signalled(values);
        thread.writer.release();
    }
    threads.remove(thread);
    Parts::thread_end(thread);
    if (may_be_pending) {
        take_pending_signal();
    }
    threads.give_back(&thread);
}

pthread_key_t exit_key;
bool exit_key_made = false;

void on_thread_exit(void* value) {
    auto* thread = static_cast<ThreadState*>(value);
    if (thread != this_thread() || !process.running()) {
        return;  // measurement is over, perhaps because calls like those below would kill (seccomp.h)
    }
    if (++thread->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(exit_key, thread) == 0) {
        return;
    }
    const Quiet quiet;
    kymo_current_thread = nullptr;
    on_own_stack(thread->own_stack_top, [&] { end_thread(*thread); });
}

// The key must exist before the first thread does.
bool make_exit_key() {
    if (!exit_key_made) {
        exit_key_made = pthread_key_create(&exit_key, on_thread_exit) == 0;
    }
    return exit_key_made;
}

}  // namespace

void set_this_thread(ThreadState* thread) {
    kymo_current_thread = thread;
    if (thread != nullptr && make_exit_key()) {
        pthread_setspecific(exit_key, thread);
    }
}

void begin_thread(ThreadState& thread, StackBounds stack, Opening opening) {
    thread.tid = static_cast<int>(syscall(SYS_gettid));
    thread.begin_time = clock_now();
    thread.announced = false;
    thread.stack = stack;
    thread.opening = opening;
    thread.destructor_rounds = 0;
    thread.dispatches_calls = false;
    thread.busy.store(0);
    threads.add(thread);
    Parts::thread_begin(thread);
    Sampling::begin_counting(thread);
}

void begin_only_thread(StackBounds stack, ProgramsMask mask) {
    ThreadState* thread = threads.take_state();
    if (thread != nullptr) {
        thread->creation = {};
        thread->programs_mask = mask;
        begin_thread(*thread, stack, process_log.may_be_short() ? Opening::kPostponed : Opening::kWhole);
    }
    set_this_thread(thread);
}

}  // namespace kymo::monitor
