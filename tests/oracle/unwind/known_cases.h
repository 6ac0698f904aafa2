// Places where a witness is known to err, each checked by hand against the disassembly and the call-frame
// information.
//
// The witness named has no vote where `function` is the frame after which it parts from another one, i.e. the frame
// that is unwound differently. A pattern ends in '*'; one alone is everything.
#pragma once

#include "judge.h"

#include <span>
#include <string_view>

namespace kymo::oracle {

struct KnownCase {
    Witness errs;
    std::string_view program;
    std::string_view function;
    std::string_view why;
};

std::span<const KnownCase> known_cases();

// Functions whose caller cannot be found: beyond their frame paths are not compared where the witnesses disagree,
// and whether the path ends well is not compared where it ends with them.
struct Unknowable {
    std::string_view function;
    std::string_view why;
};

std::span<const Unknowable> unknowable_places();

}  // namespace kymo::oracle
