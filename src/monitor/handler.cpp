// The signal handler: the path of every sample. See README, "what a sample costs".
//
// Runs in the measured thread, between any two of the program's instructions, with every signal blocked. No malloc,
// no locks but the monitor's own spin lock (a thread's first sample and a new image only), no stdio; errno is kept.

#include "monitor/process.h"
#include "monitor/program_signals.h"

#include <cerrno>
#include <signal.h>

namespace kymo::monitor {

namespace {

ThreadState* state_of(const siginfo_t& info) {
    if (info.si_code == SI_TIMER) {
        // Any timer of the program may use the signal too: its value is a pointer only if it is one of ours, and then
        // it is this thread's.
        auto* thread = this_thread();
        return thread != nullptr && info.si_value.sival_ptr == thread ? thread : nullptr;
    }
    if (info.si_code > 0) {
        return process.descriptors().owner(info.si_fd);
    }
    return nullptr;
}

// Where the stack is that a stack pointer points into, when it is not the one the walk began on.
bool find_stack(void* context, std::uint64_t pointer, unwind::MemoryView* view) {
    auto& thread = *static_cast<ThreadState*>(context);
    if (thread.stack.holds(pointer)) {
        *view = unwind::MemoryView::live(pointer, thread.stack.high);
        return true;
    }
    stack_t alternate{};
    if (sigaltstack(nullptr, &alternate) == 0 && (alternate.ss_flags & SS_DISABLE) == 0) {
        const auto low = reinterpret_cast<std::uint64_t>(alternate.ss_sp);
        const StackBounds bounds{low, low + alternate.ss_size};
        if (bounds.holds(pointer)) {
            *view = unwind::MemoryView::live(pointer, bounds.high);
            return true;
        }
    }
    // A coroutine's, or one the program made itself: nobody says where it ends, so it is copied as far as it goes.
    *view = unwind::copy_memory(pointer, thread.copied_stack);
    return view->begin() != view->end();
}

// The first frame goes to thread.frames()[1]: [0] is for a leaf of the monitor's own.
unwind::WalkResult walk_path(ThreadState& thread, const unwind::Registers& registers) {
    unwind::MemoryView stack;
    find_stack(&thread, registers.sp(), &stack);
    const unwind::StackFinder others{&thread, find_stack};
    return unwind::walk(process.images(), registers, unwind::Start::kInterrupted, stack, thread.frames().subspan(1),
                        &others);
}

// The monitor's own frames (the wrapper that starts a thread) are no part of the program's path.
std::size_t drop_own_frames(std::span<unwind::Frame> frames) {
    std::size_t kept = 0;
    for (const unwind::Frame& frame : frames) {
        if (raw(process.own_image()) == 0 || frame.image != process.own_image()) {
            frames[kept++] = frame;
        }
    }
    return kept;
}

// Enters a path and writes the nodes that are new.
ContextId enter(ThreadState& thread, std::span<const unwind::Frame> path, bool* cut) {
    return thread.tree.enter(
        path,
        [&](ContextId id, ContextId parent, const unwind::Frame& frame) {
            recording::Context row;
            row.context = raw(id);
            row.parent = raw(parent);
            row.image = raw(frame.image);
            row.offset = frame.offset;
            return thread.writer.append(row);
        },
        cut);
}

struct Path {
    ContextId leaf{0};
    std::uint64_t flags = 0;
};

unwind::Frame frame_at(std::uint64_t pc) {
    const unwind::ImageSet::Lookup found = process.images().rule_at(pc);
    const bool known = found.image != nullptr && raw(found.id) != 0;
    return {found.id, known ? pc - found.image->bias : pc, pc};
}

// `own_pc` not 0: the monitor itself was at work there, in the handler that interrupted this path.
Path path_from_signal(ThreadState& thread, const unwind::Registers& registers, std::uint64_t own_pc = 0) {
    const unwind::WalkResult walk = walk_path(thread, registers);
    const std::size_t frames = drop_own_frames(thread.frames().subspan(1, walk.count));
    if (own_pc != 0) {
        thread.frames()[0] = frame_at(own_pc);
    }
    const std::size_t own = own_pc != 0 ? 1 : 0;
    bool cut = false;
    Path path;
    path.leaf = enter(thread, thread.frames().subspan(1 - own, frames + own), &cut);
    const auto end = cut ? unwind::PathEnd::kTooDeep : walk.end;
    path.flags = static_cast<std::uint64_t>(end) | (walk.recovered ? recording::kRecoveredFrame : 0);
    return path;
}

// A sample whose signal was merged into a later one: where it was is known, how it got there is not.
Path path_from_address(ThreadState& thread, std::uint64_t pc) {
    const unwind::Frame frame = frame_at(pc);
    bool cut = false;
    Path path;
    path.leaf = enter(thread, {&frame, 1}, &cut);
    path.flags = static_cast<std::uint64_t>(unwind::PathEnd::kNotWalked);
    return path;
}

void write_sample(ThreadState& thread, const Overflow& overflow, const Path& path) {
    const std::size_t count = thread.counters.value_count();
    std::uint64_t deltas[kMaxValues];
    const bool resumed = thread.pauses_seen != process.resumes();
    thread.pauses_seen = process.resumes();
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t now = overflow.values->value[i];
        // Timer threads' clocks run on while measurement is off; kernel counters stand still.
        const bool unknown = resumed && thread.counters.kind() == CounterKind::kThreadTimer;
        deltas[i] = unknown || now < thread.last.value[i] ? 0 : now - thread.last.value[i];
        thread.last.value[i] = now;
    }
    recording::Sample row;
    row.time = overflow.time;
    row.processor = overflow.processor;
    row.event = overflow.event;
    row.context = raw(path.leaf);
    row.flags = path.flags | (resumed ? recording::kAfterPause : 0);
    row.deltas = {deltas, count};
    ++thread.samples;
    ++thread.paths[path.flags & recording::kPathEndMask];
    thread.writer.append(row);
}

void take_samples(ThreadState& thread, void* context) {
    if (!process.announce(thread)) {
        return;
    }
    const unwind::Registers registers = unwind::registers_from(*static_cast<const ucontext_t*>(context));
    const std::uint64_t pc = registers.pc;
    if (thread.stack.holds(registers.sp())) {
        thread.waits.seen_at(registers.sp());
    }
    bool walked = false;
    Path path;
    thread.counters.sample([&](const Overflow& overflow) {
        if (overflow.time >= thread.own_work_begin && overflow.time < thread.own_work_end) {
            // It came while the monitor was at work here with signals blocked (a new image's table takes
            // milliseconds), and is delivered before the program's next instruction: what was interrupted then is
            // interrupted now.
            write_sample(thread, overflow, path_from_signal(thread, registers, overflow.pc));
            return;
        }
        if (overflow.pc != 0 && overflow.pc != pc) {
            ++thread.merged;
            write_sample(thread, overflow, path_from_address(thread, overflow.pc));
            return;
        }
        if (!walked) {
            path = path_from_signal(thread, registers);
            walked = true;
        }
        write_sample(thread, overflow, path);
    });
    if (thread.counters.is_postponed()) {
        process.complete_counters(thread);
    }
}

}  // namespace

ContextId enter_own_path(ThreadState& thread, const unwind::Registers& registers) {
    if (!process.announce(thread)) {
        return ContextId{0};
    }
    const unwind::WalkResult walk = walk_path(thread, registers);
    bool cut = false;
    const std::size_t frames = drop_own_frames(thread.frames().subspan(1, walk.count));
    return enter(thread, thread.frames().subspan(1, frames), &cut);
}

void handle_signal(int signal, siginfo_t* info, void* context) {
    const int error = errno;
    ThreadState* thread = state_of(*info);
    if (thread == nullptr) {
        forward_to_program(signal, info, context);
        errno = error;
        return;
    }
    if (process.running() && thread->busy.exchange(1, std::memory_order_acquire) == 0) {
        const std::uint64_t begin = clock_now();
        // Between the check above and here the process may have begun to finish, which waits for us now.
        if (process.running()) {
            take_samples(*thread, context);
        }
        thread->own_work_begin = begin;
        thread->own_work_end = clock_now();
        thread->monitor_ns += thread->own_work_end - begin;
        thread->busy.store(0, std::memory_order_release);
    }
    errno = error;
}

}  // namespace kymo::monitor
