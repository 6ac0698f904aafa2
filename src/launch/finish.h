// The end of a recording: its files, the reason of its end, and packing.
#pragma once

#include "launch/record_outcome.h"
#include "launch/stage.h"
#include "recording/folder.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kymo::launch {

// The reason reported: `reason`, unless the recording ran out of room. `max_bytes`: the limit of a process's file,
// 0 for none; `log_full`: the parent's own file had no space.
EndReason end_reason(EndReason reason, const recording::Folder& folder, const std::optional<Job>& job,
                     std::uint64_t max_bytes, bool log_full);

// The session's name in the folder: `session`, of a rank `session-RANK`.
std::string session_file(const std::optional<Job>& job);

// Removes the session, packs the files (of outcome.job: this rank's) whose writers are gone, and fills in
// outcome.recording (where the folder is by now), gone, processes, bytes and warnings. Files that cannot be packed
// stay as they are: they are equally readable, but larger. Files that are not regular are named in the warnings. Many
// files, or those of a large job, are then moved into one bundle (of a job: one a host).
// `stage`: where they were written, unless null; then they move into the folder.
void finish_folder(const recording::Folder& folder, const Stage* stage, RecordOutcome& outcome);

}  // namespace kymo::launch
