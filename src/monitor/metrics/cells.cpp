#include "monitor/metrics/cells.h"

#include "cells/process_cells.h"
#include "cells/standard.h"
#include "kymo/cells_interface.h"
#include "monitor/channels/end.h"
#include "monitor/clock.h"
#include "monitor/interpose/real.h"
#include "monitor/metrics/program_hooks.h"
#include "monitor/metrics/sampled_metrics.h"
#include "monitor/process/log.h"
#include "monitor/process/process.h"
#include "monitor/threads/registry.h"
#include "recording/tables/events.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace kymo::monitor {

constinit CellRows cell_rows;

namespace {

using cells::process_cells;
using cells::Segment;
using cells::TaskCell;

void fill(ThreadState& thread, cells::Row& row, std::uint64_t now) {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    const UsageSoFar used = usage_so_far(usage);
    std::uint64_t* values = Segment::cells_of(row);
    const auto put = [&](TaskCell cell, std::uint64_t value) { cells::store(values[index(cell)], value); };
    const std::uint64_t user = since(used.user_ns, thread.before.user_ns);
    const std::uint64_t system = since(used.system_ns, thread.before.system_ns);
    char name[16];
    const bool has_name = prctl(PR_GET_NAME, name) == 0;
    cells::Filling filling(row, now);
    if (has_name) {
        filling.name({name, strnlen(name, sizeof name)});  // threads set their names once they run
    }
    put(TaskCell::kUser, user);
    put(TaskCell::kSystem, system);
    put(TaskCell::kOffCpu, since(now, thread.begin_time + user + system));
    put(TaskCell::kVoluntarySwitches, since(used.voluntary_switches, thread.before.voluntary_switches));
    put(TaskCell::kInvoluntarySwitches, since(used.involuntary_switches, thread.before.involuntary_switches));
    put(TaskCell::kMigrations, thread.processor_changes);
    put(TaskCell::kMinorFaults, since(used.minor_faults, thread.before.minor_faults));
    put(TaskCell::kMajorFaults, since(used.major_faults, thread.before.major_faults));
    put(TaskCell::kLockWait, thread.waits.locks.duration.load(std::memory_order_relaxed));
    put(TaskCell::kWait, thread.waits.all.duration.load(std::memory_order_relaxed));
    put(TaskCell::kWaits, thread.waits.all.count.load(std::memory_order_relaxed));
    put(TaskCell::kSamples, thread.samples);
}

constinit std::atomic<bool> told{false};

}  // namespace

void tell_no_cells() {
    const int failure = process_cells.failure();
    if (failure == 0 || told.exchange(true)) {
        return;
    }
    recording::Unavailable row;
    row.what = "metrics and channels of this process";
    const bool full = failure == ENOSPC || failure == ENOMEM || failure == EFAULT;
    row.why = failure == EFBIG                        ? "their file would be larger than files may be (ulimit -f)"
              : full                                  ? "the directory of their file is full"
              : failure == EACCES || failure == EPERM ? "their file may not be made"
                                                      : "their file could not be made";
    row.remedy = failure == EFBIG ? "ulimit -f unlimited"
                 : full           ? "make room in /dev/shm, or set XDG_RUNTIME_DIR"
                                  : "see docs/metrics.md";
    const Quiet quiet;
    process_log.write(row);
}

bool CellRows::begin() {
    const char* folder = process.session().cells;
    if (*folder == 0) {
        return true;
    }
    const char* name = process.program() == nullptr ? "" : process.program();
    for (const char* at = name; *at != 0; ++at) {
        name = *at == '/' ? at + 1 : name;
    }
    process_cells.begin(folder, static_cast<std::uint32_t>(process.pid()), {name, __builtin_strlen(name)});
    return true;
}

void CellRows::thread_begin(ThreadState& thread) {
    if (!process_cells.on()) {
        return;
    }
    thread.processor_changes = thread.last_processor = 0;
    if (process_cells.has_tasks()) {
        process_cells.enter(thread.begin_time);
    }
    tell_no_cells();
}

void CellRows::at_sample(ThreadState& thread, std::uint64_t now) {
    if (!process_cells.has_tasks()) {
        return;
    }
    if (cells::Row* row = cells::ProcessCells::this_row(); row == nullptr) {
        process_cells.enter(thread.begin_time);  // the segment was made after the thread
    } else if (now - row->filled >= kFillEveryNs) {
        fill(thread, *row, now);
        program_hooks.obey_switches();
    }
}

void CellRows::thread_end(ThreadState& thread) {
    if (cells::Row* row = cells::ProcessCells::this_row(); row != nullptr) {
        fill(thread, *row, clock_now());
        process_cells.leave();
    }
}

void CellRows::finish(Process::End how) {
    if (how == Process::End::kExec) {
        return;
    }
    const std::uint64_t now = clock_now();
    ThreadState* own_thread = this_thread();
    if (cells::Row* row = cells::ProcessCells::this_row(); row != nullptr && own_thread != nullptr) {
        fill(*own_thread, *row, now);
    }
    process_cells.finish(now);
}

void CellRows::after_fork(ThreadState* /*own*/) {
    told.store(false, std::memory_order_relaxed);
    process_cells.after_fork(static_cast<std::uint32_t>(process.pid()));
    sampled_metrics.after_fork();
}

}  // namespace kymo::monitor

// ---- for the program and for other libraries: kymo/cells_interface.h ------------------------------------------

namespace {

using kymo::cells::process_cells;
using kymo::cells::Task;

static_assert(sizeof(kymo_task) == sizeof(Task) && offsetof(kymo_task, rate) == offsetof(Task, rate) &&
              offsetof(kymo_task, bindings) == offsetof(Task, bindings));
static_assert(sizeof(kymo_timer_state) == sizeof(kymo::cells::Timer) &&
              offsetof(kymo_timer_state, cell) == offsetof(kymo::cells::Timer, cell));
static_assert(sizeof(kymo_tick_rate) == sizeof(kymo::cells::TickRate) &&
              offsetof(kymo_tick_rate, multiplier) == offsetof(kymo::cells::TickRate, multiplier));

std::string_view view_of(const char* text) {
    return text == nullptr ? std::string_view() : std::string_view(text, __builtin_strlen(text));
}

void enter(kymo_task* task) {
    const kymo::monitor::ThreadState* thread = kymo::monitor::this_thread();
    const Task* own = process_cells.enter(thread == nullptr ? kymo::monitor::clock_now() : thread->begin_time);
    if (own == nullptr) {
        kymo::monitor::tell_no_cells();
    }
    __builtin_memcpy(task, own == nullptr ? &process_cells.nowhere() : own, sizeof *task);
}

std::uint32_t named_cell(const char* name, const char* unit, std::uint32_t type) {
    using kymo::cells::MetricType;
    if (type < 1 || type > 3) {
        return kymo::cells::kNoCell;
    }
    kymo::cells::NewCell cell;
    cell.name = view_of(name);
    cell.unit = view_of(unit);
    cell.type = static_cast<MetricType>(type);
    return process_cells.named_cell(cell);
}

void bind_all(std::uint32_t timer, std::uint32_t cell) {
    process_cells.bind_all(timer, cell);
}

std::uint64_t* new_channel(const kymo_channel_key* key, std::uint64_t number, const char* name) {
    process_cells.want_tasks();
    return process_cells.new_channel({key->communicator, key->peer, key->direction}, number, view_of(name));
}

std::uint64_t* new_end(const char* name, std::uint64_t number, std::uint32_t receives, std::uint32_t is_shared) {
    kymo::monitor::ChannelEnd end;
    kymo::monitor::identify_declared(name == nullptr ? "" : name, number, is_shared != 0, end);
    process_cells.want_tasks();
    const bool is_receiver = receives != 0;
    const unsigned side = is_receiver ? 1 : 0;
    return process_cells.new_channel(
        {end.numbers[side], end.others[side], kymo::end_direction(end.kind, is_receiver)},
        kymo::monitor::number_of(end, is_receiver), view_of(end.name));
}

constexpr kymo_cells_interface kInterface = {
    1, sizeof(kymo_cells_interface), enter, named_cell, bind_all, new_channel, new_end};

}  // namespace

KYMO_INTERPOSE const kymo_cells_interface* kymo_monitor_cells() {
    return process_cells.on() && kymo::monitor::process.is_this_process() ? &kInterface : nullptr;
}
