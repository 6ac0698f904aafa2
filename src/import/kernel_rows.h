// Records of tasks and switches as the kernel's own rings would have brought them to `kymo record`.
#pragma once

#include "import/perf/records.h"
#include "launch/kernel_record.h"

#include <algorithm>
#include <string_view>

namespace kymo::import {

inline launch::KernelRecord kernel_record(const perf::Origin& row, launch::KernelChange change) {
    launch::KernelRecord record;
    record.time = row.time;
    record.change = change;
    record.processor = row.cpu == perf::kNotGiven ? 0 : row.cpu;
    record.pid = row.pid;
    record.tid = row.tid;
    return record;
}

inline launch::KernelRecord kernel_record(const perf::Comm& row) {
    auto record = kernel_record(row, row.is_exec ? launch::KernelChange::kExec : launch::KernelChange::kRename);
    row.name.copy(record.name, sizeof record.name - 1);
    return record;
}

// Of a Fork or an Exit.
template <typename Row>
launch::KernelRecord kernel_record_of_task(const Row& row, launch::KernelChange change) {
    auto record = kernel_record(row, change);
    record.parent_pid = row.parent_pid;
    record.parent_tid = row.parent_tid;
    return record;
}

inline launch::KernelRecord kernel_record(const perf::Switch& row) {
    auto record = kernel_record(row, row.out ? launch::KernelChange::kSwitchOut : launch::KernelChange::kSwitchIn);
    record.preempted = row.preempted;
    return record;
}

inline launch::KernelRecord kernel_record(const perf::Lost& row) {
    auto record = kernel_record(row, launch::KernelChange::kLost);
    record.lost = row.count;
    return record;
}

}  // namespace kymo::import
