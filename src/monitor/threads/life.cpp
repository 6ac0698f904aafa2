// A thread's exit is detected by a thread-specific-data destructor, which covers return, pthread_exit and
// cancellation alike. It re-arms itself until the last round, so that the program's own destructors are still
// measured. If the program needs that key itself (exit_key.h), by a cleanup handler around the thread's function.

#include "monitor/threads/life.h"

#include "monitor/interpose/program_signals.h"
#include "monitor/parts.h"
#include "monitor/process/log.h"
#include "monitor/sampling/sampling.h"
#include "monitor/sampling/signal_entry.h"
#include "monitor/threads/busy.h"
#include "monitor/threads/exit_key.h"
#include "monitor/threads/registry.h"
#include "monitor/threads/stream.h"
#include "monitor/waits/unfinished.h"

#include <limits.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

void end_thread(ThreadState& thread) {
    bool may_be_pending = true;
    if (const Busy busy(thread); busy.may_write()) {
        const OwnWork work(thread);
        announce(thread);
        write_unfinished_wait(thread, clock_now(), true);
        SwitchRows::write(thread);
        const CounterValues values = write_stream_end(thread, true);
        process_counters.add_ended(values);
        Sampling::add_ended(thread, values);
        may_be_pending = hunt.on() || thread.counters.may_have_signalled(values);
        thread.writer.release();
    }
    threads.remove(thread);
    Parts::thread_end(thread);
    // A sample that arrived while signals were blocked has no thread state any more once this one is released.
    if (may_be_pending) {
        take_pending_signals();
    }
    threads.give_back(&thread);
}

// Measurement may be over, perhaps because the calls made here would kill (seccomp.h).
bool is_measured_here(const ThreadState* thread) {
    return thread != nullptr && thread == this_thread() && process.running();
}

void end_this_thread(ThreadState* thread) {
    const Quiet quiet;
    kymo_current_thread = nullptr;
    on_own_stack(thread->own_stack_top, [&] { end_thread(*thread); });
}

void on_thread_exit(void* value) {
    auto* thread = static_cast<ThreadState*>(value);
    if (!is_measured_here(thread)) {
        return;
    }
    if (++thread->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS && exit_key::set(thread, on_thread_exit)) {
        return;
    }
    end_this_thread(thread);
}

void on_cleanup(void* value) {
    auto* thread = static_cast<ThreadState*>(value);
    if (is_measured_here(thread)) {
        end_this_thread(thread);
    }
}

}  // namespace

void set_this_thread(ThreadState* thread) {
    kymo_current_thread = thread;
    if (thread != nullptr) {
        exit_key::set(thread, on_thread_exit);
    }
}

void* run_to_its_end(void* (*start)(void*), void* argument) {
    void* result = nullptr;
    pthread_cleanup_push(on_cleanup, this_thread());
    result = start(argument);
    pthread_cleanup_pop(1);
    return result;
}

void begin_thread(ThreadState& thread, StackBounds stack, const Beginning& beginning) {
    thread.tid = static_cast<int>(syscall(SYS_gettid));
    thread.kernel_tid = process.kernel_numbers().of_thread();
    thread.begin_time = clock_now();
    thread.announced = false;
    thread.stack = stack;
    thread.beginning = beginning;
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
        begin_thread(*thread, stack, {.opening = process_log.may_be_short() ? Opening::kPostponed : Opening::kWhole});
    }
    set_this_thread(thread);
}

}  // namespace kymo::monitor
