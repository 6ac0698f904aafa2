// Writing a session: the outside half of events/session.h, where the format is described.
#pragma once

#include "base/result.h"
#include "events/session.h"

#include <string>

namespace kymo::events {

// The text of the session file. kUsage if a name or path cannot be put into it (a line break in it, or too long in
// all); the result parses back to the same session.
Result<std::string> format_session(const Session& session);

}  // namespace kymo::events
