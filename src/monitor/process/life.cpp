#include "monitor/process/life.h"

#include "hooks/guest/thread.h"
#include "monitor/parts.h"
#include "monitor/process/log.h"
#include "monitor/process/short_process.h"
#include "monitor/sampling/own_stack.h"
#include "monitor/threads/life.h"
#include "monitor/threads/registry.h"
#include "monitor/threads/stream.h"
#include "monitor/waits/unfinished.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

StackBounds main_stack() {
    // The kernel keeps this much address space free below the stack's start, at least 128 MiB.
    constexpr std::uint64_t kGap = 128ULL << 20U;
    constexpr std::uint64_t kFirstFrame = 64;
    return {process.main_stack_end() - kGap, process.main_stack_end() + kFirstFrame};
}

// Handlers that were inside when the phase changed. Each takes microseconds, so the bound is only reached by a
// thread that is stopped or starved; the file is then left as it is. False: one did not leave.
bool wait_for_handlers() {
    constexpr int kRounds = 10'000;
    for (int round = 0; round < kRounds; ++round) {
        bool busy = false;
        threads.for_each([&](const ThreadState& thread) {
            busy = busy || (&thread != this_thread() && thread.busy.load(std::memory_order_acquire) != 0);
        });
        if (!busy) {
            return true;
        }
        syscall(SYS_sched_yield);
    }
    return false;
}

// The rows of the live threads. `quiescent`: no thread is in a handler. Returns the sum of all threads' counts.
CounterValues write_threads(Process::End how, bool quiescent) {
    CounterValues totals;
    process_counters.read_ended(totals);
    threads.for_each([&](ThreadState& thread) {
        const bool is_own = &thread == this_thread();
        if (how != Process::End::kExec) {
            thread.counters.disable();
        }
        announce(thread);
        if (quiescent && !is_own) {
            write_unfinished_wait(thread, clock_now(), false);
        }
        if (quiescent || is_own) {
            SwitchRows::write(thread);
        }
        const CounterValues values = write_stream_end(thread, is_own);
        for (std::size_t i = 0; i < process.session().event_count; ++i) {
            totals.value[i] += values.value[i];
        }
    });
    return totals;
}

void end_measurement(bool quiescent) {
    process_counters.close();
    process.set_off();
    process_log.end(quiescent);
}

enum class Left : std::uint8_t { kNothing, kShortRow, kFile };

// Where to record the process's end: in the row of a short process, which is then written, or in its file.
Left where_to_tell(Process::End how) {
    const ThreadState* only = this_thread();
    if (only != nullptr && !threads.is_alone(*only)) {
        only = nullptr;
    }
    const Left left = process_log.alone([&](bool has_file) {
        if (how == Process::End::kExec && process.is_forked() && !has_file) {
            return Left::kNothing;  // a forked child about to execute another program, without a sample: nothing
                                    // to record
        }
        return process_log.is_short() && only != nullptr && write_short_process(*this_thread(), how) ? Left::kShortRow
                                                                                                     : Left::kFile;
    });
    return left == Left::kFile && !process_log.open() ? Left::kNothing : left;
}

void finish_here(Process::End how) {
    const bool ends = how != Process::End::kExec;
    if (ends && !process.begin_finishing()) {
        return;
    }
    const bool quiescent = ends && wait_for_handlers();
    switch (where_to_tell(how)) {
        case Left::kNothing:
            return;
        case Left::kShortRow:
            if (ends) {
                Sampling::stop();
                CellRows::finish(how);
                end_measurement(false);
            }
            return;
        case Left::kFile:
            break;
    }
    CounterValues totals = write_threads(how, quiescent);
    Parts::finish(how);
    recording::ProcessEnd row;
    row.time = clock_now();
    row.how = static_cast<std::uint64_t>(how);
    row.totals = {totals.value, process_counters.read(totals)};
    process_log.write(row);
    if (ends) {
        end_measurement(quiescent);
    }
}

}  // namespace

void start(int argc, char** argv, std::uint64_t stack_end) {
    if (!process.begin(argc, argv, stack_end)) {
        return;
    }
    Quiet quiet;
    if (!process_log.begin() || !Parts::begin()) {
        return;
    }
    process.set_running();
    begin_only_thread(main_stack(), {});
    ThreadState* thread = this_thread();
    if (thread == nullptr) {
        return;
    }
    if (!process_log.may_be_short()) {
        announce(*thread);  // a program that ends before its first sample has a thread nevertheless
    }
    quiet.leave(thread->programs_mask.adopt(quiet.mask_before()));
}

void after_fork() {
    ThreadState* own = this_thread();
    const StackBounds stack = own == nullptr ? StackBounds{} : own->stack;
    const ProgramsMask mask = own == nullptr ? ProgramsMask{} : own->programs_mask;
    process.after_fork();
    process_log.after_fork();
    threads.after_fork();
    Parts::after_fork(own);
    threads.forget_all(own);
    if (!process.session().follow) {
        process.set_off();
        set_this_thread(nullptr);
        return;
    }
    begin_only_thread(stack, mask);
}

void finish(Process::End how) {
    const Quiet quiet;
    const ThreadState* here = this_thread();
    if (here != nullptr) {
        hooks::leave_skipped(reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)));
    }
    on_own_stack(here == nullptr ? 0 : here->own_stack_top, [&] { finish_here(how); });
}

}  // namespace kymo::monitor
