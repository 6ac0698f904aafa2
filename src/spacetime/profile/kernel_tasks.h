// What the kernel's task and switch records add to a profile: processes and threads that had no monitor, which became
// which by exec, and for the threads that were sampled their switches and their waiting for a processor.
//
// A life of a task (file_data.h) belongs to a monitored thread with its number that began within it. Other lives
// are added to the profile as not monitored. The records do not split user from system time: on-CPU time counts
// as user time there, and ProfileThread::is_sampled is false.
#pragma once

#include "spacetime/profile/profile.h"

#include <span>

namespace kymo::spacetime {

// After all monitored processes and threads are in the profile, and its begin and end are set.
void merge_kernel_tasks(std::span<const FileData> files, Profile& profile);

}  // namespace kymo::spacetime
