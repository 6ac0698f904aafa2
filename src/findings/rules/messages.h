// Time in calls of the message passing interface. Pure.
#pragma once

#include "findings/rules/spare.h"
#include "spacetime/evidence/evidence.h"

namespace kymo::findings {

// Whether this is such a call, or code in one.
bool is_in_messages(const spacetime::Evidence& evidence, std::uint32_t node);

// Ranks wait for messages on the processor, polling: by thread, what they had of it in such calls. ns. Calls too
// short to be a node of the evidence are left out.
ByThread in_messages(const spacetime::Evidence& evidence);

}  // namespace kymo::findings
