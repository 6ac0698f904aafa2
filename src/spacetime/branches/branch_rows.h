// A recording's rows about branch stacks. See recording/tables/processor.h.
#pragma once

#include "recording/handlers.h"
#include "recording/tables/processor.h"
#include "spacetime/load/images.h"

#include <cstdint>
#include <map>
#include <vector>

namespace kymo::spacetime {

// One file's. A reader of rows (recording/handlers.h).
struct BranchRows {
    void read_from(const recording::File& file, recording::Handlers& handlers);
    void end(const recording::ScanReport& report);

    std::map<std::uint64_t, ImageInfo> images;  // by number; empty where the file has no branches
    std::vector<recording::TakenBranch> branches;
    std::vector<recording::ExecutedRange> ranges;
    recording::BranchStacks account;
};

}  // namespace kymo::spacetime
