#include "monitor/process/process.h"

#include "monitor/hunt/hunt.h"
#include "monitor/interpose/own_handler.h"
#include "monitor/interpose/program_signals.h"
#include "monitor/interpose/tracing.h"
#include "monitor/metrics/cells.h"
#include "monitor/metrics/program_hooks.h"
#include "monitor/openmp/gnu.h"
#include "monitor/sampling/second_look.h"
#include "monitor/sampling/signal_entry.h"

#include <cerrno>
#include <new>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

constinit Process process;

namespace {

int process_id() {
    return static_cast<int>(syscall(SYS_getpid));  // never cached: a vfork child must see its own
}

int thread_id() {
    return static_cast<int>(syscall(SYS_gettid));
}

}  // namespace

bool Process::is_this_process() const {
    return process_id() == pid_;
}

// ---- life of the process ------------------------------------------------------------------------------

bool Process::load_session() {
    const char* folder = getenv(events::kSessionVariable);
    if (folder != nullptr && *folder != 0) {
        return events::load_session(folder, session_) == events::SessionError::kNone;
    }
    // Preloaded by hand: the first process makes the folder, and its children find it as they would a parent's.
    if (events::default_session(getenv(events::kOutVariable), static_cast<std::uint32_t>(pid_), session_) !=
        events::SessionError::kNone) {
        return false;
    }
    if (mkdir(session_.directory, 0700) != 0 && errno != EEXIST) {
        return false;
    }
    return setenv(events::kOutVariable, session_.directory, 1) == 0;
}

void Process::start(int argc, char** argv, std::uint64_t stack_end) {
    pid_ = process_id();
    argc_ = argc;
    argv_ = argv;
    main_stack_end_ = stack_end;
    start_time_ = clock_now();
    if (!load_session() || session_.event_count == 0) {
        return;
    }
    if (!session_.follow && session_.pid != 0 && session_.pid != static_cast<std::uint32_t>(pid_)) {
        return;
    }
    if (!descriptors_.reserve()) {
        return;
    }
    second_look.begin(session_);
    if (!images_.create({this, unwind::describe_own_image, image_added, image_removed})) {
        return;
    }
    for (int& counter : process_counter_) {
        counter = -1;
    }
    Quiet quiet;
    may_be_short_ = session_.short_processes && session_.pid != static_cast<std::uint32_t>(pid_);
    if (!may_be_short_) {
        const Locked locked(log_lock_);
        if (!open_file()) {
            return;
        }
    }
    if (!install_handler()) {
        return;
    }
    remember_handler(static_cast<int>(session_.signal));
    look_for_tracer();
    note_linked_gnu();
    if (!may_be_short_) {
        know_own_image();
        hunt.begin(session_);
    }
    begin_cells(session_.cells, pid_, argc > 0 ? argv[0] : nullptr);
    phase_.store(Phase::kRunning, std::memory_order_release);
    open_process_counters();
    set_this_thread(begin_own_thread(main_stack(), {}));
    if (this_thread() != nullptr && !may_be_short_) {
        announce(*this_thread());  // a program that dies before its first sample has a thread all the same
    }
    if (!may_be_short_) {
        begin_hooks(session_.directory, this_thread());
    }
    if (ThreadState* thread = this_thread(); thread != nullptr) {
        quiet.leave(thread->programs_mask.adopt(quiet.mask_before()));
    }
}

void Process::know_own_image() {
    if (raw(own_image_.load(std::memory_order_relaxed)) == 0) {
        own_image_ = images_.add_at(reinterpret_cast<std::uint64_t>(&kymo_signal_entry));
    }
}

void Process::after_fork() {
    pid_ = process_id();
    start_time_ = clock_now();
    is_forked_ = true;
    may_be_short_ = session_.short_processes;
    log_lock_.reset();
    threads_lock_.reset();
    after_fork_in_gnu();
    images_.after_fork_in_child();
    hunt.after_fork();
    fork_cells(pid_);
    file_.abandon();
    file_failed_ = false;
    log_ = {};
    told_.store(0);
    told_no_switches_.store(false);
    next_stream_.store(1);
    for (auto& total : ended_threads_) {
        total.store(0);
    }
    for (int& counter : process_counter_) {
        if (counter >= 0) {
            descriptors_.close(counter);
        }
        counter = -1;
    }
    ThreadState* own = this_thread();
    fork_hooks(own, pid_);
    for (ThreadState* thread = live_; thread != nullptr;) {
        ThreadState* next = thread->next;
        thread->counters.abandon(descriptors_);
        thread->switches.abandon(descriptors_);
        hunt.detach(*thread);
        if (thread != own) {
            thread->busy.store(0);
            thread->next = spare_;
            spare_ = thread;
        }
        thread = next;
    }
    live_ = nullptr;
    if (!session_.follow) {
        phase_.store(Phase::kOff, std::memory_order_release);
        set_this_thread(nullptr);
        return;
    }
    const StackBounds stack = own == nullptr ? StackBounds{} : own->stack;
    const ProgramsMask mask = own == nullptr ? ProgramsMask{} : own->programs_mask;
    if (own != nullptr) {
        own->busy.store(0);
        own->next = spare_;
        spare_ = own;
    }
    open_process_counters();
    set_this_thread(begin_own_thread(stack, mask));
}

void Process::finish(End how) {
    const Quiet quiet;
    const ThreadState* here = this_thread();
    on_own_stack(here == nullptr ? 0 : here->own_stack_top, [&] { finish_quietly(how); });
}

void Process::finish_quietly(End how) {
    bool quiescent = false;
    bool is_short = false;
    if (how != End::kExec) {
        Phase expected = Phase::kRunning;
        if (!phase_.compare_exchange_strong(expected, Phase::kFinishing)) {
            return;
        }
        quiescent = wait_for_handlers();
    }
    {
        const Locked locked(log_lock_);
        if (how == End::kExec && is_forked_ && !file_.is_open()) {
            return;  // a forked child on its way to another program, without a sample: nothing to tell
        }
        is_short = this->is_short() && write_short(how);
        if (!is_short && !open_file()) {
            return;
        }
    }
    if (is_short) {
        if (how != End::kExec) {
            end_short();
        }
        return;
    }
    std::uint64_t totals[events::kMaxEvents];
    for (std::size_t i = 0; i < events::kMaxEvents; ++i) {
        totals[i] = ended_threads_[i].load(std::memory_order_relaxed);
    }
    {
        const Locked locked(threads_lock_);
        for (ThreadState* thread = live_; thread != nullptr; thread = thread->next) {
            if (how != End::kExec) {
                thread->counters.disable();
            }
            announce(*thread);
            if (quiescent && thread != this_thread()) {
                write_unfinished_wait(*thread, clock_now(), false);
            }
            if (quiescent || thread == this_thread()) {
                write_switches(*thread);
            }
            const CounterValues values = write_stream_end(*thread, thread == this_thread());
            for (std::size_t i = 0; i < session_.event_count; ++i) {
                totals[i] += values.value[i];
            }
        }
    }
    hunt.finish();
    finish_hooks();
    tell_if_handler_is_gone(static_cast<int>(session_.signal));
    if (how != End::kExec) {
        finish_cells(this_thread(), clock_now());
    }
    recording::ProcessEnd row;
    row.time = clock_now();
    row.how = static_cast<std::uint64_t>(how);
    row.totals = {totals, read_process_totals(totals)};
    log(row);
    if (how != End::kExec) {
        close_process_counters();
        phase_.store(Phase::kOff, std::memory_order_release);
        const Locked locked(log_lock_);
        file_failed_ = true;  // no new one
        if (quiescent) {
            file_.close();
        }
    }
}

// Handlers that were inside when the phase changed; each takes microseconds, so the bound is never met but by a
// thread that is stopped or starved, and then the file is left as it stands.
bool Process::wait_for_handlers() const {
    constexpr int kRounds = 10'000;
    for (int round = 0; round < kRounds; ++round) {
        bool busy = false;
        {
            const Locked locked(threads_lock_);
            for (const ThreadState* thread = live_; thread != nullptr; thread = thread->next) {
                busy = busy || (thread != this_thread() && thread->busy.load(std::memory_order_acquire) != 0);
            }
        }
        if (!busy) {
            return true;
        }
        syscall(SYS_sched_yield);
    }
    return false;
}

// ---- threads --------------------------------------------------------------------------------------------

ThreadState* Process::take_state() {
    {
        const Locked locked(threads_lock_);
        if (ThreadState* thread = spare_; thread != nullptr) {
            spare_ = thread->next;
            return thread;
        }
    }
    void* pages = image::map_pages(sizeof(ThreadState));
    return pages == nullptr ? nullptr : new (pages) ThreadState;
}

void Process::give_back(ThreadState* thread) {
    const Locked locked(threads_lock_);
    thread->next = spare_;
    spare_ = thread;
}

// The one thread that there is, at the start and in a forked child.
ThreadState* Process::begin_own_thread(StackBounds stack, ProgramsMask mask) {
    ThreadState* thread = take_state();
    if (thread != nullptr) {
        thread->creation = {};
        thread->programs_mask = mask;
        begin_thread(thread, stack, may_be_short_ ? Opening::kPostponed : Opening::kWhole);
    }
    return thread;
}

void Process::begin_thread(ThreadState* thread, StackBounds stack, Opening opening) {
    thread->stream = StreamId{next_stream_.fetch_add(1)};
    thread->tid = thread_id();
    thread->waits.clear();
    thread->team = {};
    thread->open_regions = thread->suspended_count = 0;
    thread->begin_time = clock_now();
    thread->announced = false;
    thread->last = {};
    thread->stack = stack;
    thread->tree.clear();
    thread->samples = thread->merged = thread->monitor_ns = 0;
    thread->own_work_begin = thread->own_work_end = 0;
    thread->owed_ns = 0;
    for (std::uint64_t& count : thread->paths) {
        count = 0;
    }
    thread->pauses_seen = resumes();
    thread->destructor_rounds = 0;
    thread->muted = false;
    thread->left_out = {};
    thread->left_out_samples = 0;
    thread->busy.store(0);
    {
        const Locked locked(threads_lock_);
        thread->previous = nullptr;
        thread->next = live_;
        if (live_ != nullptr) {
            live_->previous = thread;
        }
        live_ = thread;
    }
    mute_if_traced(*thread);
    const bool counts = thread->counters.open(session_, descriptors_, thread, thread->tid, opening);
    if (!is_short()) {
        tell_unavailable(thread->counters.outcome());  // otherwise announce() does
    }
    open_switches(*thread);
    hunt.attach(*thread);
    begin_thread_cells(*thread);
    begin_thread_hooks(*thread);
    if (!counts && !paused()) {
        thread->counters.enable();
    } else if (counts && paused()) {
        thread->counters.disable();
    }
}

void Process::complete_counters(ThreadState& thread) {
    thread.counters.complete(descriptors_, &thread);
    tell_unavailable(thread.counters.outcome());
    if (paused()) {
        thread.counters.disable();  // it may have been paused in between
    }
}

void Process::forget_unloaded() {
    const Quiet quiet;
    ThreadState* here = this_thread();
    const std::uint64_t begin = clock_now();
    on_own_stack(here == nullptr ? 0 : here->own_stack_top, [&] { images_.remove_unloaded(); });
    if (here != nullptr) {
        here->own_work_begin = begin;
        here->own_work_end = clock_now();
    }
}

void Process::end_thread(ThreadState* thread) {
    end_thread_hooks(*thread);
    hunt.detach(*thread);
    end_thread_cells(*thread);
    bool may_be_pending = true;
    if (const Busy busy(*thread); busy.may_write()) {
        announce(*thread);
        write_unfinished_wait(*thread, clock_now(), true);
        write_switches(*thread);
        const CounterValues values = write_stream_end(*thread, true);
        for (std::size_t i = 0; i < session_.event_count; ++i) {
            ended_threads_[i].fetch_add(values.value[i], std::memory_order_relaxed);
        }
        may_be_pending = hunt.on() || thread->counters.may_have_signalled(values);
        thread->writer.release();
    }
    {
        const Locked locked(threads_lock_);
        (thread->previous == nullptr ? live_ : thread->previous->next) = thread->next;
        if (thread->next != nullptr) {
            thread->next->previous = thread->previous;
        }
    }
    thread->counters.close(descriptors_);
    thread->switches.close(descriptors_);
    if (may_be_pending) {
        // A sample that came while signals were blocked has nobody to go to any more.
        const std::uint64_t ours = std::uint64_t{1} << (session_.signal - 1);
        const timespec at_once{};
        syscall(SYS_rt_sigtimedwait, &ours, nullptr, &at_once, sizeof ours);
    }
    give_back(thread);
}

StackBounds Process::main_stack() const {
    // The kernel keeps this much address space below the stack's start free for it, and at least 128 MiB.
    constexpr std::uint64_t kGap = 128ULL << 20U;
    constexpr std::uint64_t kFirstFrame = 64;
    return {main_stack_end_ - kGap, main_stack_end_ + kFirstFrame};
}

// ---- measurement on and off -------------------------------------------------------------------------------

void Process::pause() {
    paused_.store(1, std::memory_order_release);
    const Locked locked(threads_lock_);
    for (ThreadState* thread = live_; thread != nullptr; thread = thread->next) {
        thread->counters.disable();
    }
}

void Process::resume() {
    resumes_.fetch_add(1, std::memory_order_acq_rel);
    paused_.store(0, std::memory_order_release);
    const Locked locked(threads_lock_);
    for (ThreadState* thread = live_; thread != nullptr; thread = thread->next) {
        thread->counters.enable();
    }
}

}  // namespace kymo::monitor
