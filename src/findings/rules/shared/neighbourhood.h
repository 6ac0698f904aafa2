// Common parts of the rules about neighbours.
#pragma once

#include "findings/cases/case.h"

#include <cstddef>
#include <functional>
#include <string>

namespace kymo::findings {

// "after `a` (…)", "before `b` (…)", "between `a` (…) and `b` (…)".
std::string neighbourhood_words(const Case& subject);

// Only the following code is known to matter: it cannot be the cause.
bool is_of_what_follows(const Case& subject);

// Between two neighbours: whether the occurrences between them are beyond those beside either one alone, by the
// median of `value` (of a row) and that many times. Otherwise one neighbour explains it all. True beside one
// neighbour.
bool is_beyond_either(const Case& subject, double at_least, bool is_more,
                      const std::function<double(std::size_t)>& value);

}  // namespace kymo::findings
