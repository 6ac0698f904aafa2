// Where a node of the structure is, in the words of the source and as bytes of an image.
#pragma once

#include "spacetime/evidence/structure.h"

namespace kymo::spacetime {

// Lines are those of the node's own function, in the file that most of its instructions come from; a function's begin
// where it is declared. Without the code they are those that samples met.
Place place_of(const Profile& profile, const Structure& structure, std::uint32_t node, const Names& names,
               const CodeMap& code);

// Of bytes of a function: lines in the function that most of them were written in.
Place place_of_ranges(const Profile& profile, std::uint32_t image, std::span<const ByteRange> ranges,
                      const Names& names);

}  // namespace kymo::spacetime
