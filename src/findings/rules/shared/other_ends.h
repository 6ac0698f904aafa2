// Who is at the other end of the pipes and sockets that threads wait at.
#pragma once

#include "spacetime/evidence/evidence.h"

namespace kymo::findings {

// Whether a pipe or socket leads to another process of this run, or another thread of the same one. A socket does if
// nearly all the time that its process was inside calls in this direction was for parties of the recording
// (docs/channels.md). A pipe made by a process itself does if that has children, was started by another, or has
// threads that read from pipes and others that write to them; the standard ones of the run's first process lead
// outside. Linear in the channels.
bool is_within_run(const spacetime::Evidence& evidence, const spacetime::WaitTarget& target);

// The thread for which nearly all the time was that `thread` was inside calls like the target's: an index of
// RunFacts::threads, never `thread` itself; kNone: not known, several, or outside. Known where one process alone has
// pipes and sockets. Linear in the channels.
std::uint32_t other_end(const spacetime::Evidence& evidence, std::uint32_t thread,
                        const spacetime::WaitTarget& target);

}  // namespace kymo::findings
