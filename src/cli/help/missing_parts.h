// The parts that this build of Kymo was made without (cmake/Missing.cmake).
#pragma once

#include "base/result.h"

#include <span>

namespace kymo::cli {

struct MissingPart {
    const char* what;
    const char* why;
    const char* packages;  // Debian's, separated by blanks
};

std::span<const MissingPart> missing_parts();

// For a verb whose page is not in this build.
Error no_page_error();

}  // namespace kymo::cli
