// The caller that distinguishes a space from others of the same name.
#pragma once

#include "spacetime/evidence/evidence.h"

#include <string>

namespace kymo::spacetime {

// The innermost function on the node's call path whose place, counted from the path's end, holds another function in
// all other kept nodes of the same kind and function. Empty: there are no such nodes, or no caller distinguishes
// them. Cost: one comparison with every kept node.
std::string telling_caller(const Evidence& evidence, NodeIndex node);

}  // namespace kymo::spacetime
