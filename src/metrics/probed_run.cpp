#include "metrics/probed_run.h"

#include "cells/primitives.h"

#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace kymo::metrics {
namespace {

constexpr const char* kNoMemory = "free some shared memory";

bool is_there(pid_t process, std::uint32_t thread) {
    return access(fmt::format("/proc/{}/task/{}", process, thread).c_str(), F_OK) == 0;
}

}  // namespace

ProbedRun::ProbedRun(Plan plan, std::filesystem::path folder) : plan_(std::move(plan)), folder_(std::move(folder)) {}

void ProbedRun::fit(launch::RecordOptions& options) {
    options.attach = [this, program = std::filesystem::path(options.command.front()).filename().string()](
                         pid_t process) { return begin(process, program); };
    options.poll = [this, read = std::move(options.poll)](recording::StreamWriter& rows, bool last) {
        copy();
        read(rows, last);
    };
}

Result<void> ProbedRun::begin(pid_t process, const std::string& program) {
    process_ = process;
    cells::SegmentOptions options;
    options.pid = static_cast<std::uint32_t>(process);
    options.program = program;
    options.tasks = hooks::kProbeThreads;
    segment_ = std::make_unique<cells::Segment>();
    const std::filesystem::path path = folder_ / fmt::format("{}-0{}", process, cells::kSegmentSuffix);
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
        segment_->describe(cell.index, what);
    }
    return plan_.probes.attach(plan_.places, process, plan_.wherever);
}

void ProbedRun::copy() {
    for (const std::uint32_t thread : plan_.probes.threads()) {
        copy(thread);
    }
}

void ProbedRun::copy(std::uint32_t thread) {
    const bool is_gone = !is_there(process_, thread);  // first: what is read then is the last
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
        plan_.probes.forget(thread);
        rows_.erase(known);
    }
}

}  // namespace kymo::metrics
