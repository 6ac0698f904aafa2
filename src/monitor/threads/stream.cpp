#include "monitor/threads/stream.h"

#include "monitor/metrics/sampled_metrics.h"
#include "monitor/process/images.h"
#include "monitor/process/log.h"
#include "monitor/sampling/own_work.h"
#include "monitor/sampling/switch_rows.h"
#include "monitor/sampling/unavailable.h"
#include "monitor/text.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

constexpr const auto& kPreservedRegisters = unwind::native::Arch::Rules::kPreserved;

static_assert(static_cast<int>(unwind::PathEnd::kComplete) == static_cast<int>(recording::PathEnd::kComplete));
static_assert(static_cast<int>(unwind::PathEnd::kNotWalked) == static_cast<int>(recording::PathEnd::kNotWalked));
static_assert(static_cast<int>(unwind::PathEnd::kNoRule) == static_cast<int>(recording::PathEnd::kNoRule));
static_assert(static_cast<int>(unwind::PathEnd::kBadRule) == static_cast<int>(recording::PathEnd::kBadRule));
static_assert(static_cast<int>(unwind::PathEnd::kOutsideStack) ==
              static_cast<int>(recording::PathEnd::kOutsideStack));
static_assert(static_cast<int>(unwind::PathEnd::kNoProgress) == static_cast<int>(recording::PathEnd::kNoProgress));
static_assert(static_cast<int>(unwind::PathEnd::kTooDeep) == static_cast<int>(recording::PathEnd::kTooDeep));
static_assert(static_cast<int>(unwind::PathEnd::kUnmapped) == static_cast<int>(recording::PathEnd::kUnmapped));

// The name a thread gave itself, or got from the program.
bool thread_name(int tid, bool own_thread, char* name, std::size_t bytes) {
    if (own_thread) {
        return prctl(PR_GET_NAME, name) == 0;
    }
    char path[64];
    Text(path, sizeof path) << "/proc/self/task/" << static_cast<unsigned long>(tid) << "/comm";
    const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
    if (file < 0) {
        return false;
    }
    const ssize_t length = syscall(SYS_read, file, name, bytes - 1);
    syscall(SYS_close, file);
    if (length <= 1) {
        return false;
    }
    name[length - 1] = 0;  // in place of the newline
    return true;
}

// Nanoseconds that the calling thread was ready to run and had no processor: the second figure of its schedstat.
// False where the kernel does not keep it.
bool run_delay(std::uint64_t& ns) {
    const auto file =
        static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
    if (file < 0) {
        return false;
    }
    char text[96];
    const ssize_t length = syscall(SYS_read, file, text, sizeof text);
    syscall(SYS_close, file);
    ssize_t at = 0;
    while (at < length && text[at] != ' ') {
        ++at;
    }
    ns = 0;
    const ssize_t first = ++at;
    for (; at < length && text[at] >= '0' && text[at] <= '9'; ++at) {
        ns = 10 * ns + static_cast<std::uint64_t>(text[at] - '0');
    }
    return at > first && at < length;
}

void write_brief_waits(const ThreadState& thread) {
    for (unsigned kind = 0; kind < recording::kWaitKinds; ++kind) {
        const WaitState::Sum& sum = thread.waits.brief[kind];
        recording::WaitBrief row;
        row.stream = raw(thread.stream);
        row.kind = kind;
        row.count = sum.count.load(std::memory_order_relaxed);
        row.duration = sum.duration.load(std::memory_order_relaxed);
        row.below = thread.waits.brief_below.load(std::memory_order_relaxed);
        if (row.count != 0) {
            process_log.write(row);
        }
    }
}

}  // namespace

bool announce(ThreadState& thread) {
    if (thread.announced) {
        return true;
    }
    if (!process_log.open()) {
        return false;
    }
    know_own_image();
    tell_unavailable(thread.counters.outcome());
    // DWARF's numbering, the program counter last: also the order in memory.
    std::uint64_t registers[sizeof(unwind::Registers) / sizeof(std::uint64_t)];
    std::uint64_t preserved[2 * kPreservedRegisters.size()];
    recording::Stream row;
    row.time = thread.begin_time;
    row.stream = raw(thread.stream);
    row.tid = static_cast<std::uint64_t>(thread.tid);
    row.kernel_tid = thread.kernel_tid;
    row.mechanism = static_cast<std::uint64_t>(thread.counters.kind());
    row.first_period_ns = thread.beginning.first_period;
    row.tick_ns = thread.beginning.tick;
    row.stack_end = thread.stack.high;
    const CreationContext& creation = thread.creation;
    if (creation.known) {
        row.creator_stream = raw(creation.creator);
        row.creator_context = raw(creation.context);
        row.stack_pointer = creation.registers.sp();
        row.blocked_signals = creation.blocked_signals;
        __builtin_memcpy(registers, &creation.registers, sizeof registers);
        row.registers = registers;
        row.float_registers = {reinterpret_cast<const char*>(&creation.float_registers),
                               sizeof creation.float_registers};
    }
    if (creation.knows_caller) {
        std::size_t words = 0;
        for (const unsigned number : kPreservedRegisters) {
            preserved[words++] = number;
            preserved[words++] = creation.caller.general[number];
        }
        row.caller_registers = preserved;
        row.caller_pc = creation.caller.pc;
        row.caller_stack_pointer = creation.caller.sp();
    }
    if (!process_log.write(row)) {
        return false;
    }
    thread.writer.open(process_log.file(), thread.stream);
    thread.announced = true;
    switch_rows.write_life(thread, row.time, recording::TaskChange::kFork);
    return true;
}

CounterValues write_stream_end(ThreadState& thread, bool own_thread) {
    CounterValues values = thread.last;
    rusage space{};
    const rusage* usage = own_thread ? own_usage(space) : nullptr;
    thread.counters.read(values, usage);
    recording::StreamEnd row;
    row.time = clock_now();
    row.stream = raw(thread.stream);
    std::uint64_t totals[kMaxValues + kMaxSampledMetrics] = {};
    std::size_t count = thread.counters.value_count();
    __builtin_memcpy(totals, values.value, count * sizeof *totals);
    if (const MetricValues metrics = sampled_metrics.read(thread, own_thread); metrics.count != 0) {
        const std::size_t first = SampledMetrics::first_event();
        count = first + SampledMetrics::totals_until(thread, metrics, totals + first);
    }
    row.totals = {totals, count};
    row.enabled_ns = values.enabled_ns;
    row.running_ns = values.running_ns;
    if (usage != nullptr) {
        const UsageSoFar used = usage_so_far(*usage);
        row.user_ns = since(used.user_ns, thread.before.user_ns);
        row.system_ns = since(used.system_ns, thread.before.system_ns);
        row.voluntary = since(used.voluntary_switches, thread.before.voluntary_switches);
        row.involuntary = since(used.involuntary_switches, thread.before.involuntary_switches);
        thread.switches_at_end = row.voluntary + row.involuntary;
        row.asked = recording::kAskedSwitches;
        // Where there are performance events, there are the kernel's records of every switch.
        if (thread.counters.kind() == CounterKind::kThreadTimer && run_delay(row.run_delay_ns)) {
            row.asked |= recording::kAskedRunDelay;
        }
    }
    switch_rows.write_life(thread, row.time, recording::TaskChange::kExit);
    row.lost = thread.counters.lost() + values.kernel_lost;
    row.throttled = thread.counters.throttled();
    row.merged = thread.merged;
    row.unwritten = thread.writer.unwritten();
    row.monitor_ns = thread.monitor_ns;
    row.paths = {thread.paths, recording::kPathEnds};
    row.paces = thread.paces;
    row.pace_ticks = thread.pace_ticks;
    const OwnWorkSince own = take_own_work(thread, row.time);
    row.own_ns = own.ns;
    row.own_system_ns = own.system_ns;
    row.own_user_ns = own.user_ns;
    process_log.write(row);
    if (thread.left_out_samples != 0) {
        recording::LeftOut entry;
        entry.stream = raw(thread.stream);
        entry.samples = thread.left_out_samples;
        process_log.write(entry);
    }
    write_brief_waits(thread);

    char name[64] = {};
    if (thread_name(thread.tid, own_thread, name, sizeof name)) {
        recording::StreamName entry;
        entry.stream = raw(thread.stream);
        entry.name = name;
        process_log.write(entry);
    }
    return values;
}

}  // namespace kymo::monitor
