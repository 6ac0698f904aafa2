// Time in calls of the message passing interface. Pure.
#pragma once

#include "findings/rules/shared/spare.h"
#include "spacetime/evidence/evidence.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kymo::findings {

// As in C (MPI_Send, PMPI_Send), and Fortran (mpi_send_).
bool is_name_of_call(std::string_view function);

// Whether this is such a call, or code in one.
bool is_in_messages(const spacetime::Evidence& evidence, NodeIndex node);

// The nodes that are such calls, ascending; of calls inside calls the outermost.
std::vector<NodeIndex> message_calls(const spacetime::Evidence& evidence);

// Ranks wait for messages on the processor, polling: their processor time in such calls, by thread. ns. Calls too
// short to be a node of the evidence are left out.
ByThread in_messages(const spacetime::Evidence& evidence);

}  // namespace kymo::findings
