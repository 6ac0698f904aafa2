// The output of `kymo --version`: the version, the build, the formats, and what this build was made without.
#pragma once

#include <string>

namespace kymo::cli {

std::string version_text();

}  // namespace kymo::cli
