// The C library's allocator and C++'s operators above it, by their names.
#pragma once

#include "spacetime/evidence/evidence.h"

#include <vector>

namespace kymo::findings {

bool is_allocator(const spacetime::Place& place);

// The nodes of code that is entered from outside of the allocator. Cost: linear in the nodes.
std::vector<spacetime::NodeIndex> allocator_calls(const spacetime::Evidence& evidence);

// Giving memory back takes less than an eighth of the time in the allocator: what the program takes it keeps, as one
// that reads a document whole, and nothing could be used again. Cost: linear in the nodes.
bool keeps_memory(const spacetime::Evidence& evidence);

}  // namespace kymo::findings
