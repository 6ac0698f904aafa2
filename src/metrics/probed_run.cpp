#include "metrics/probed_run.h"

#include "cells/primitives.h"
#include "recording/tables/events.h"
#include "recording/tables/tasks.h"

#include <cstring>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

namespace kymo::metrics {
namespace {

constexpr const char* kNoMemory = "free some shared memory";

bool is_there(pid_t process, std::uint32_t thread) {
    return access(fmt::format("/proc/{}/task/{}", process, thread).c_str(), F_OK) == 0;
}

}  // namespace

ProbedRun::ProbedRun(Plan plan, std::filesystem::path folder, std::uint64_t period_ns)
    : plan_(std::move(plan)), folder_(std::move(folder)), period_(period_ns) {}

void ProbedRun::fit(launch::RecordOptions& options) {
    options.from_outside = true;
    options.participants.insert(options.participants.begin(), this);
}

Result<void> ProbedRun::started(launch::RunScene& scene) {
    process_ = scene.program;
    const std::filesystem::path program = scene.settled.options.command.front();
    if (auto made = make_segment(program.filename().string()); !made) {
        return made;
    }
    period_.begin(scene.begun);
    return plan_.probes.attach(plan_.places, process_, plan_.wherever);
}

std::uint64_t ProbedRun::tick(launch::RunScene& scene, std::uint64_t now) {
    if (period_.is_due(now) && !scene.is_gone) {
        copy(false);
        period_.begin(now);
    }
    return period_.next();
}

void ProbedRun::ended(launch::RunScene& scene, launch::RecordOutcome& /*outcome*/) {
    copy(true);
    if (unreturned() != 0) {
        scene.log.write_missing(unreturned_calls());
    }
}

Result<void> ProbedRun::make_segment(const std::string& program) {
    cells::SegmentOptions options;
    options.pid = static_cast<std::uint32_t>(process_);
    options.program = program;
    options.tasks = hooks::kProbeThreads;
    segment_ = std::make_unique<cells::Segment>();
    const std::filesystem::path path = folder_ / fmt::format("{}-0{}", process_, cells::kSegmentSuffix);
    if (const int error = segment_->create(path.c_str(), options); error != 0) {
        return Error{ErrorKind::kNoSpace, fmt::format("cannot make {}: {}", path.string(), std::strerror(error)),
                     kNoMemory};
    }
    for (const DescribedCell& cell : plan_.cells) {
        cells::NewCell what;
        what.type = cell.type;
        what.origin = cells::Origin::kDescription;
        what.unit = cell.unit;
        what.name = cell.name;
        what.description = cell.description;
        what.total = cell.total;
        what.per = static_cast<std::uint8_t>(cell.per);
        segment_->describe(cell.index, what);
    }
    return {};
}

events::Missing ProbedRun::unreturned_calls() const {
    return {fmt::format("exits of {} of {} calls", unreturned(), awaited()),
            "deeper than the 64 calls of a thread whose returns the kernel follows, left by a jump (longjmp), or not "
            "over "
            "when their thread ended",
            "docs/hooks.md says which programs have them all"};
}

void ProbedRun::copy(bool last) {
    for (const std::uint32_t thread : plan_.probes.threads()) {
        copy(thread, last);
    }
}

void ProbedRun::copy(std::uint32_t thread, bool last) {
    const bool is_gone = last || !is_there(process_, thread);  // checked before reading, so that the reading is
                                                               // the last one
    hooks::ProbeThread values;
    if (!plan_.probes.read(thread, values)) {
        return;
    }
    const auto [known, is_new] = rows_.try_emplace(thread, nullptr);
    if (is_new) {
        cells::Object object;
        object.number = thread;
        object.writer = thread;
        object.begin = values.begin;
        object.name = {values.name, strnlen(values.name, sizeof values.name)};
        known->second = segment_->take(object);
    }
    if (cells::Row* row = known->second; row != nullptr) {
        for (std::uint32_t i = 1; i < cells::kTaskCells; ++i) {
            cells::store(cells::Segment::cells_of(*row)[i], values.cells[i]);
        }
        for (std::uint32_t i = 0; i < cells::kTaskTimers; ++i) {
            cells::Timer& timer = cells::Segment::timers_of(*row, cells::kTaskCells)[i];
            cells::store(timer.since, values.timers[i].since);
            cells::store(timer.cell, values.timers[i].cell);
            cells::store_after(timer.depth, values.timers[i].depth);
        }
        if (is_gone) {
            segment_->end(*row, monotonic_now().ns);
        }
    }
    if (is_gone) {
        awaited_ += values.awaited;
        returned_ += values.returned;
        plan_.probes.forget(thread);
        rows_.erase(known);
    }
}

std::size_t forked_processes(const recording::Recording& recording) {
    std::set<std::uint64_t> processes;
    for (const recording::File& file : recording.files()) {
        // What was read before a damaged part is used.
        [[maybe_unused]] const auto report =
            file.scan(recording::on<recording::Task>([&](StreamId, const recording::Task& row) {
                const bool is_fork = row.change == static_cast<std::uint64_t>(recording::TaskChange::kFork);
                if (is_fork && row.pid != row.parent_pid) {
                    processes.insert(row.pid);
                }
            }));
    }
    return processes.size();
}

}  // namespace kymo::metrics
