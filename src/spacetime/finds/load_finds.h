// From a recording's hunt rows to its finds.
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "spacetime/finds/finds.h"

#include <span>

namespace kymo::spacetime {

// One scan of each file. Errors: the system cannot read a file.
Result<Finds> load_finds(std::span<const recording::File> files);
inline Result<Finds> load_finds(const recording::Recording& recording) {
    return load_finds(recording.files());
}

}  // namespace kymo::spacetime
