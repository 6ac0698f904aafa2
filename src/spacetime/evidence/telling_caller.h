// What tells a space from others of the same name.
#pragma once

#include "spacetime/evidence/evidence.h"

#include <string>

namespace kymo::spacetime {

// Of the functions that a kept node is called through, the innermost that no other kept node of the same kind and
// function is called through at its place from the end of the path. Empty: there is no other, or none tells them
// apart. Costs a look at every kept node.
std::string telling_caller(const Evidence& evidence, NodeIndex node);

}  // namespace kymo::spacetime
