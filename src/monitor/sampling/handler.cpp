// The signal handler: the path of every sample. Its cost is in docs/measurements.md.
//
// Runs in the measured thread, between any two of the program's instructions, with every signal blocked, on the
// thread's own stack (signal_entry.h). No malloc, no locks but the monitor's own (a thread's first sample and a new
// image only), no stdio; errno is kept.

#include "base/system_clock.h"
#include "monitor/hunt/hunt.h"
#include "monitor/interpose/interrupted_calls.h"
#include "monitor/interpose/program_signals.h"
#include "monitor/metrics/cells.h"
#include "monitor/metrics/exact_calls.h"
#include "monitor/metrics/sampled_metrics.h"
#include "monitor/native.h"
#include "monitor/process/images.h"
#include "monitor/sampling/own_work.h"
#include "monitor/sampling/path.h"
#include "monitor/sampling/sampling.h"
#include "monitor/sampling/second_look.h"
#include "monitor/sampling/signal_entry.h"
#include "monitor/sampling/switch_rows.h"
#include "monitor/speed_up/speed_up.h"
#include "monitor/threads/stream.h"
#include "monitor/waits/unfinished.h"
#include "monitor/waits/waits.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <signal.h>
#include <tuple>
#include <type_traits>
#include <utility>

namespace kymo::monitor {

namespace {

// The thread's state at a sample.
struct Interrupted {
    const ucontext_t& context;
    unwind::Registers registers;
};

// The operands of the interrupted instruction: which memory it used, and whether it computed with denormal numbers.
// Nothing if the thread was in a system call.
void write_operands(ThreadState& thread, const Interrupted& interrupted) {
    if (native::was_in_call(interrupted.context)) {
        return;
    }
    const auto& general = interrupted.registers.general;
    std::array<std::uint64_t, std::tuple_size_v<std::remove_cvref_t<decltype(general)>> + 1> values;
    *std::copy(general.begin(), general.end(), values.begin()) = interrupted.registers.pc;
    recording::SampleOperands row;
    row.values = values;
    row.denormals = native::denormal_registers(interrupted.context);
    thread.writer.append(row);
}

// `interrupted`: null: not known.
void write_sample(ThreadState& thread, const Overflow& overflow, const MetricValues& metrics, const Path& path,
                  const Interrupted* interrupted) {
    std::size_t count = thread.counters.value_count();
    std::uint64_t deltas[kMaxValues + kMaxSampledMetrics] = {};
    const bool resumed = thread.pauses_seen != process.resumes();
    // Of what could not be written nothing is known: as if measurement had been off.
    const std::uint64_t unwritten = thread.writer.unwritten();
    const bool is_behind_loss = unwritten != thread.unwritten_seen;
    thread.unwritten_seen = unwritten;
    thread.pauses_seen = process.resumes();
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t now = overflow.values->value[i];
        // Timer threads' clocks run on while measurement is off; kernel counters do not.
        const bool unknown = resumed && thread.counters.kind() == CounterKind::kThreadTimer;
        deltas[i] = unknown || now < thread.last.value[i] ? 0 : now - thread.last.value[i];
        thread.last.value[i] = now;
    }
    if (metrics.count != 0) {
        count = SampledMetrics::first_event() + metrics.count;
        SampledMetrics::deltas_until(thread, metrics, resumed, deltas + SampledMetrics::first_event());
    }
    recording::Sample row;
    row.time = overflow.time;
    row.processor = overflow.processor;
    row.event = overflow.event;
    row.context = raw(path.leaf);
    row.flags = path.flags | (resumed || is_behind_loss ? recording::kAfterPause : 0);
    row.deltas = {deltas, count};
    const OwnWorkSince own = take_own_work(thread, overflow.time);
    row.own_ns = own.ns;
    row.own_system_ns = own.system_ns;
    row.own_user_ns = own.user_ns;
    thread.processor_changes += thread.last_processor != 0 && thread.last_processor != row.processor + 1 ? 1 : 0;
    thread.last_processor = row.processor + 1;
    ++thread.samples;
    ++thread.paths[path.flags & recording::kPathEndMask];
    thread.writer.append(row);
    if (interrupted == nullptr) {
        return;
    }
    if (process.session().registers) {
        recording::SampleRegisters values;
        values.values = interrupted->registers.general;
        thread.writer.append(values);
    }
    if (process.session().operands && thread.operand_turns.take()) {
        write_operands(thread, *interrupted);
    }
}

bool is_own_work(std::uint64_t flags) {
    return (flags & recording::kOwnWork) != 0;
}

// Writes the counts outside the code of a second look, as a row.
void write_left_out(ThreadState& thread) {
    LeftOutSample& left_out = thread.left_out;
    left_out.overflow.values = &left_out.values;
    write_sample(thread, left_out.overflow, left_out.metrics, {left_out.context, left_out.flags}, nullptr);
    --thread.left_out_samples;
    left_out.known = false;
}

// The sample as a row; or, outside the code of a second look, left out. The last one left out is written before a
// row inside, and between the program's work and the monitor's: its counts never go to a row of the other kind.
void take_sample(ThreadState& thread, const Overflow& overflow, const Path& path, const Interrupted* interrupted) {
    if (speed_up.on()) {
        speed_up.at_sample(thread, overflow, path.is_faster && !is_own_work(path.flags));
    }
    LeftOutSample& left_out = thread.left_out;
    const MetricValues metrics = sampled_metrics.read(thread, true);
    if (left_out.known && (path.kept || is_own_work(left_out.flags) != is_own_work(path.flags))) {
        write_left_out(thread);
    }
    if (!path.kept && second_look.is_for(overflow.event)) {
        left_out.known = true;
        left_out.overflow = overflow;
        left_out.values = *overflow.values;
        left_out.metrics = metrics;
        left_out.context = path.leaf;
        left_out.flags = path.flags;
        ++thread.left_out_samples;
        return;
    }
    left_out.known = false;
    write_sample(thread, overflow, metrics, path, interrupted);
}

// The time that a sample due at `sampled` has taken from the program; the handler ran from `begin` to `end`.
// The kernel writes the sample, delivers the signal and returns from it; before that it has entered its interrupt,
// whose time cannot be measured here. Half of the rest is about right (seen: 10 µs of 32 in a virtual machine).
std::uint64_t taken_by_sample(std::uint64_t sampled, std::uint64_t begin, std::uint64_t end) {
    constexpr std::uint64_t kMost = 100'000;       // ns that a delivery takes; longer: others had the processor
    constexpr std::uint64_t kMostBefore = 20'000;  // ns; a long walk says nothing of the kernel's entry
    const std::uint64_t since = sampled < begin && begin - sampled < kMost ? sampled : begin;
    const std::uint64_t known = end - since;
    return known + std::min(known / 2, kMostBefore);
}

// From this many samples on a thread is not short. A first sample at random, or some at ticks, say nothing of how
// long it lives.
std::uint64_t samples_of_short(const Beginning& beginning) {
    constexpr std::uint64_t kAtTicks = 5;
    return beginning.tick != 0 ? kAtTicks : beginning.first_period != 0 ? 2 : 1;
}

// Returns when the last sample was due, 0: there was none. At ticks it is taken in the handler, after the kernel's
// work; CLOCK_MONOTONIC_COARSE is the time of the last tick (of one CPU; others may tick at other times).
std::uint64_t take_samples(ThreadState& thread, void* context, int code) {
    std::uint64_t last = 0;
    std::uint64_t taken = 0;  // the last sample's time in its row
    const bool is_timers = code == SI_TIMER;
    thread.counters.at_signal(is_timers);
    if (!announce(thread)) {
        return last;
    }
    const auto& state = *static_cast<const ucontext_t*>(context);
    const Interrupted interrupted{state, unwind::registers_from(state)};
    const unwind::Registers& registers = interrupted.registers;
    const std::uint64_t pc = registers.pc;
    if (thread.stack.holds(registers.sp()) && thread.waits.is_left_at(registers.sp())) {
        write_unfinished_wait(thread, clock_now(), true);
        thread.waits.begin.store(0, std::memory_order_relaxed);  // also a wait that was too brief
    }
    bool walked = false;
    Path path;
    // The path for all samples of this signal, walked once.
    const auto path_here = [&] {
        if (!walked) {
            path = thread.debt.is_much() ? path_from_address(thread, pc) : path_from_signal(thread, registers);
            walked = true;
        }
        return path;
    };
    hunt.news(thread, registers);
    thread.counters.sample(is_timers, [&](const Overflow& overflow) {
        taken = overflow.time;
        last =
            thread.counters.samples_by_timer() ? without_shift(read_clock(CLOCK_MONOTONIC_COARSE)).ns : overflow.time;
        if (hunt.take(thread, overflow, registers)) {
            return;
        }
        if (overflow.time >= thread.own_work_begin && overflow.time < thread.own_work_end) {
            // It came while the monitor was at work here with signals blocked (a new image's table takes
            // milliseconds), and is delivered before the program's next instruction: what was interrupted then is
            // interrupted now. There may be hundreds, if a walk took long.
            Path own = path_here();
            own.flags |= recording::kOwnWork;
            take_sample(thread, overflow, own, nullptr);
            return;
        }
        if (overflow.pc != 0 && overflow.pc != pc) {
            ++thread.merged;
            take_sample(thread, overflow, path_from_address(thread, overflow.pc), nullptr);
            return;
        }
        Path here = path_here();
        if (overflow.at_tick) {
            // The kernel counts time at its ticks, but never lets a sum fall: it hides some ticks of its own.
            const bool in_kernel = overflow.in_kernel || native::was_in_call(state);
            here.flags |= recording::kAtTick | (in_kernel ? recording::kInKernel : 0);
        }
        take_sample(thread, overflow, here, &interrupted);
    });
    if (is_timers && thread.counters.tick_found_kernel(state)) {
        recording::KernelTick row;
        // If the timer also takes the samples, the row has this sample's time: it covers the time before it.
        row.time = thread.counters.samples_by_timer() && taken != 0 ? taken : clock_now();
        row.context = raw(path_here().leaf);
        thread.writer.append(row);
    }
    const std::uint64_t now = clock_now();
    CellRows::at_sample(thread, now);
    exact_call_rows.at_sample(thread, now);
    SwitchRows::write(thread);
    if (thread.counters.is_postponed() && last != 0 && thread.samples >= samples_of_short(thread.beginning)) {
        Sampling::complete_counters(thread);
    }
    thread.counters.choose_trigger(&thread);
    return last;
}

// The speed of the thread's processor while the thread computes: a core's other thread slows it down.
void measure_pace(ThreadState& thread) {
    constexpr std::uint64_t kMostTicks = 4'096;  // more: it was interrupted
    const std::uint64_t ticks = native::pace_ticks();
    if (ticks <= kMostTicks) {
        ++thread.paces;
        thread.pace_ticks += ticks;
    }
}

}  // namespace

void kymo_take_signal(ThreadState* thread, void* context, int code) {
    const int error = errno;
    if (process.running() && thread->busy.exchange(1, std::memory_order_acquire) == 0) {
        const std::uint64_t begin = clock_now();
        const std::uint32_t known_images = images.count();
        std::uint64_t sampled = 0;
        // Between the check above and here the process may have begun to finish, which waits for us now.
        if (process.running()) {
            const stack_t& alternate = static_cast<const ucontext_t*>(context)->uc_stack;
            if ((alternate.ss_flags & SS_DISABLE) == 0) {
                const auto low = reinterpret_cast<std::uint64_t>(alternate.ss_sp);
                thread->alternate = {low, low + alternate.ss_size};
            }
            sampled = take_samples(*thread, context, code);
            thread->alternate = {};
            if (sampled != 0 && may_read_counter()) {
                measure_pace(*thread);
            }
        }
        const std::uint64_t end = clock_now();
        thread->debt.took(begin, end, begin - thread->own_work_end, images.count() != known_images);
        thread->own_work_begin = begin;
        thread->own_work_end = end;
        thread->monitor_ns += end - begin;
        thread->own_work_ns += end - begin;
        thread->taken_ns += taken_by_sample(sampled, begin, end);
        thread->busy.store(0, std::memory_order_release);
        if (speed_up.on()) {
            speed_up.pause_in_handler(*thread);
        }
    }
    interrupt_call_for_program(*static_cast<ucontext_t*>(context));
    errno = error;
}

}  // namespace kymo::monitor
