// Whether a piece of code becomes slower the longer a program runs, measured by the rest of the program's work.
//
// The rest is divided into kGrowthParts parts of equal work, and the code's time beside each is summed up. Code whose
// cost does not depend on what was done before takes about as long beside each part, or beside some of them (a phase
// of the program). Code that looks through all earlier items takes longer beside each part than beside the one
// before, in proportion to the work done until then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kymo::findings {

inline constexpr std::size_t kGrowthParts = 8;

struct Growth {
    bool grows = false;
    double first = 0;  // the code's time beside the first part of the rest, any unit
    double last = 0;   // beside the last one
    double grown = 0;  // what it takes more than beside the first one, over all parts
};

// `code` and `rest`: time in the code, and in the rest of the program, in parts of the run in order; parallel. It
// grows where its time beside the parts is described by a straight line to nine tenths (R²), rises by a quarter in
// either half of them, and is four times as long beside the last part as beside the first. O(n).
Growth growth_of(std::span<const std::int64_t> code, std::span<const std::int64_t> rest);

}  // namespace kymo::findings
