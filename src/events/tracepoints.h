// Tracepoints: SYSTEM:NAME, for example sched:sched_switch. The number comes from tracefs, which an ordinary user
// usually cannot read.
#pragma once

#include "base/result.h"
#include "events/session.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace kymo::events {

// Where tracefs may be mounted; the first that has events is used.
std::vector<std::filesystem::path> tracing_folders();

// SYSTEM:NAME with one colon and nothing that leaves the folder.
bool is_tracepoint_form(std::string_view name);

// kUnknownEvent: tracefs is readable and has no such tracepoint. kPermission: it cannot be read. kUnsupported: not
// mounted.
Result<SessionEvent> tracepoint_event(std::string_view name,
                                      const std::vector<std::filesystem::path>& folders = tracing_folders());

}  // namespace kymo::events
