// The file that processes share which end before their first sample (recording/tables/run.h, ShortProcess).
#pragma once

#include "base/result.h"
#include "events/session.h"
#include "recording/folder.h"

#include <cstdint>

namespace kymo::launch {

// Makes it, with a header, the description of its table and the session's events: a packed file, to whose end the
// monitors append. Errors: kNoSpace, kPermission, kInternal; nothing is left behind then.
Result<void> make_short_processes(const recording::Folder& folder, const events::Session& session);

// How many processes it holds. Removes it where they are none.
std::uint64_t finish_short_processes(const recording::Folder& folder);

}  // namespace kymo::launch
