// The file that processes share which end before their first sample (recording/tables/run.h, ShortProcess).
#pragma once

#include "launch/run/participant.h"
#include "recording/folder.h"

#include <cstdint>

namespace kymo::launch {

// Creates it at the session's path, with a header, the description of its table and the session's events: a packed
// file, to whose end the monitors append. Errors: kNoSpace, kPermission, kInternal.
class ShortProcesses final : public RunParticipant {
  public:
    Result<void> started(RunScene& scene) override;
};

// The number of processes in it. Removes it if there are none.
std::uint64_t finish_short_processes(const recording::Folder& folder);

}  // namespace kymo::launch
