// The code that a recording kept, for a second run to look at: the heavy spaces, and the pieces of code whose gaps or
// patterns were kept, by image and offsets.
#pragma once

#include "spacetime/evidence/evidence.h"

#include <string>
#include <vector>

namespace kymo::spacetime {

struct KeptCodeOfImage {
    std::string build_id;           // raw bytes; images without one cannot be matched
    std::vector<ByteRange> ranges;  // normalised
};

// By build id; empty: nothing was kept. A piece of code that everything else lies in (it has neither gaps nor
// neighbours that are code) is not among it.
std::vector<KeptCodeOfImage> kept_code(const Evidence& evidence);

}  // namespace kymo::spacetime
