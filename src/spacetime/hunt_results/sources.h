// What makes two recorded events one source: from the call paths of samples to keys of the pair machine.
//
// A place is the instruction of a sample (or its call site); a key stands for all places of one instruction, block,
// line, function or image. Where a place's block, line or function is not known, its instruction is the key, and
// `exact` says so. Key 0: the event has no place.
//
// Not thread-safe. Costs: symbols are looked up once for all places; a flow graph is made of each function that has
// some (block only).
#pragma once

#include "spacetime/hunt_results/hunt_rows.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kymo::spacetime {

struct Source {
    std::uint64_t key = 0;
    std::uint64_t image = 0;  // ImageId and offset of the instruction, or of the call site
    std::uint64_t offset = 0;
    bool exact = true;
};

// A sample's call path: stream and ContextId.
using PathPlace = std::pair<std::uint32_t, std::uint64_t>;

// Parallel to `paths`. `executable`: whose call sites count (HuntKey::kCallSite). Precondition: not a data key.
std::vector<Source> sources_of(const FileHunt& file, const std::string& executable, recording::HuntKey key,
                               const std::vector<PathPlace>& paths);

}  // namespace kymo::spacetime
