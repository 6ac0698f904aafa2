// The code of a function, for a virtual speed-up.
#pragma once

#include "analysis/space_time.h"
#include "events/kept_file.h"

#include <string>
#include <vector>

namespace kymo::cli {

// By image: the function's own bytes, its cold part included, or where it was inlined those of its instructions. What
// it calls is found on the call path. `function`: its name in the report; with a `module`, the whole name, of that
// image. Empty: the recording has no such function, its code is not in the image's file, or that has no build id.
// Cost: one pass over the addresses whose names the analysis has looked up.
std::vector<events::CodeOfImage> code_of(const analysis::SpaceTime& analysed, const std::string& function,
                                         const std::string& module = {});

}  // namespace kymo::cli
