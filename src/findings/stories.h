// Claims about the same time become one finding: the best is shown, the others are listed under it.
//
// Two defects, or two advantages of one kind, are one story if they are about the same wait; or if they are about
// code inside each other (or one is about the whole run; or both are of one kind in one function), about the same
// kind of time, and during at least half of the shorter's time and threads. Rules that each have rows of the account
// to themselves (is_exclusive) are one story in one function alone. Shown is the one with the most at stake for sure;
// a generic rule only if no other explains half as much (except for parts that another story explains further
// inside); and of one kind the smallest piece of code that has four fifths of it.
#pragma once

#include "findings/weigh.h"
#include "spacetime/evidence/evidence.h"

#include <vector>

namespace kymo::findings {

// Most at stake first. Equal ones in the order of rules().
std::vector<Finding> join_stories(const spacetime::Evidence& evidence, std::vector<Weighed> claims);

}  // namespace kymo::findings
