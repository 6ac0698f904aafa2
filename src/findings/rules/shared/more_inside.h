// Slow occurrences that hold more of the same inside, whose parts are not slower.
#pragma once

#include "findings/cases/case.h"

namespace kymo::findings {

// Of a loop, its rounds, and a round: in the slow occurrences, the calls in them (and, of a loop, its rounds) were
// seen about as many times more often as they take longer. Such a loop had more to do, or is several occurrences
// of it that look like one, as several rounds do: the code between them was too short to be seen. A sample that
// was bridged in a slow occurrence's call may have been such. False for other kinds of spaces.
bool has_more_inside(const Case& subject);

}  // namespace kymo::findings
