// The text of --switch, and of the lines of --orders.
#pragma once

#include "base/result.h"
#include "live/switching.h"

#include <string>
#include <vector>

namespace kymo::cli {

// METRIC=off, METRIC=on, METRIC=SECONDS (on, with this period); FILE.kym for METRIC: those of that description that
// can be switched. kUsage, kNotFound, kMalformed.
Result<std::vector<live::NamedSwitch>> parse_switch(const std::string& text);

}  // namespace kymo::cli
