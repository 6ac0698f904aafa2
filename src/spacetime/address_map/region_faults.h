// Page faults by the regions of the address map that their addresses lie in.
//
// A page that a thread gets was in a region at that moment: the one that the readings before and after both have
// there. Where only one of them has a region there, or they differ, the kernel's records of mappings decide: the last
// one that holds the address and came after the reading before. Without one, the region that one of the readings has
// is taken, since nothing but a file can have come there unrecorded. Otherwise the region is not known. Memory
// that holds the stack of a thread that lives at the fault is that thread's below the stack's end.
#pragma once

#include "spacetime/address_map/area_span.h"
#include "spacetime/address_map/merge.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kymo::spacetime {

struct RegionFaults {
    std::optional<AreaSpan> area = {};  // as it was at a fault; none: `name` says what is known
    std::string name;
    std::uint64_t samples = 0;
    std::uint64_t faults = 0;  // that the samples represent
};

struct FaultAddress {
    std::uint64_t time = 0;
    std::uint64_t address = 0;
    std::uint64_t faults = 0;
};

// Memory that the kernel gave out, "//anon" and the heap: at least until it was unmapped it was there.
struct RecordedMapping {
    std::uint64_t time = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// Of one process; the lists need no order. Most faults first. Cost: n log n, and for each fault at most 1,000
// mappings since the reading before.
std::vector<RegionFaults> faults_by_region(const MapReadings& readings, std::vector<FaultAddress> faults,
                                           std::vector<RecordedMapping> mappings,
                                           const std::vector<ThreadStack>& stacks);

}  // namespace kymo::spacetime
