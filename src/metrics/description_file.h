// A metric description from its file, with mistakes as one error.
#pragma once

#include "base/result.h"
#include "metrics/description.h"

#include <string>

namespace kymo::metrics {

// An empty path is an empty description. kNotFound, kMalformed.
Result<Description> read_description(const std::string& path);

}  // namespace kymo::metrics
