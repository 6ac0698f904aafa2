// Where a node of the structure is, in the words of the source and as bytes of an image.
#pragma once

#include "spacetime/evidence/structure.h"

namespace kymo::spacetime {

// Lines are those of the node's own function, in the file of most of its instructions; a function's begin
// at its declaration. Without the code they are the sampled ones.
Place place_of(const Profile& profile, const Structure& structure, std::uint32_t node, const Names& names,
               const CodeMap& code);

// For bytes of a function: lines in the function that most of them come from.
Place place_of_ranges(const Profile& profile, std::uint32_t image, std::span<const ByteRange> ranges,
                      const Names& names);

}  // namespace kymo::spacetime
