// From a recording's hunt rows to its results.
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "spacetime/hunt_results/hunt_results.h"
#include "spacetime/hunt_results/hunt_rows.h"

#include <span>

namespace kymo::spacetime {

// One scan of each file. Errors: the system cannot read a file.
Result<HuntResults> load_hunt_results(std::span<const recording::File> files);
inline Result<HuntResults> load_hunt_results(const recording::Recording& recording) {
    return load_hunt_results(recording.files());
}

// The rows alone, without their call paths: what a hunt that still runs has found. Likewise.
Result<HuntRows> load_hunt_rows(std::span<const recording::File> files);

}  // namespace kymo::spacetime
