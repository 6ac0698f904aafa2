// Tasks of OpenMP that run inside the call that makes them, in the thread that makes them. libgomp does so where more
// than 64 tasks a thread of the team would wait; tasks whose `if` clause is false or whose maker is final run so,
// too. Pure.
#pragma once

#include "findings/finding.h"
#include "spacetime/evidence/evidence.h"

namespace kymo::findings {

// The code of such a task that a node is a part of, or is; kNone: it is of none. A function makes tasks if time was
// found in the run time's making of them, called there.
NodeIndex task_at_once(const spacetime::Evidence& evidence, NodeIndex node);

// The function that makes it.
NodeIndex maker_of_task(const spacetime::Evidence& evidence, NodeIndex task);

}  // namespace kymo::findings
