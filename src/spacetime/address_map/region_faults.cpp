#include "spacetime/address_map/region_faults.h"

#include "spacetime/address_map/map_cursor.h"

#include <algorithm>
#include <map>

namespace kymo::spacetime {
namespace {

constexpr std::ptrdiff_t kMostLookedAt = 1000;  // mappings, for a fault

using Areas = std::map<std::uint64_t, const AreaSpan*>;

const AreaSpan* find(const Areas& areas, std::uint64_t address) {
    auto found = areas.upper_bound(address);
    if (found == areas.begin()) {
        return nullptr;
    }
    --found;
    return address < found->second->end ? found->second : nullptr;
}

bool is_same_thing(const AreaSpan& a, const AreaSpan& b) {
    return a.kind == b.kind && a.protection == b.protection && a.path == b.path;
}

class FaultNamer {
  public:
    FaultNamer(const MapReadings& readings, std::vector<RecordedMapping> mappings,
               const std::vector<ThreadStack>& stacks)
        : times_(readings.times),
          mappings_(std::move(mappings)),
          stacks_(stacks),
          before_(readings.spans),
          after_(readings.spans) {
        std::stable_sort(mappings_.begin(), mappings_.end(),
                         [](const RecordedMapping& a, const RecordedMapping& b) { return a.time < b.time; });
    }

    // By rising times.
    void add(const FaultAddress& fault) {
        const auto next = std::upper_bound(times_.begin(), times_.end(), fault.time);
        const std::uint64_t last = next == times_.begin() ? 0 : *(next - 1);
        const AreaSpan* const before = next == times_.begin() ? nullptr : find(before_.at(last), fault.address);
        const AreaSpan* const after = next == times_.end() ? nullptr : find(after_.at(*next), fault.address);
        const bool is_new =
            (before == nullptr || after == nullptr || !is_same_thing(*before, *after)) && was_mapped(fault, last);
        const AreaSpan* area = before != nullptr ? before : after;
        if (is_new) {
            const bool is_memory = after != nullptr && after->kind != recording::AreaKind::kFile;
            area = is_memory ? after : nullptr;
        } else if (before != nullptr && after != nullptr && !is_same_thing(*before, *after)) {
            area = nullptr;
        }
        count(area, is_new ? "memory that was gone at the next reading of the map" : "not known", fault);
    }

    std::vector<RegionFaults> finish() {
        std::vector<RegionFaults> regions;
        regions.reserve(by_name_.size());
        for (auto& [name, region] : by_name_) {
            regions.push_back(std::move(region));
        }
        std::stable_sort(regions.begin(), regions.end(),
                         [](const RegionFaults& a, const RegionFaults& b) { return a.faults > b.faults; });
        return regions;
    }

  private:
    bool was_mapped(const FaultAddress& fault, std::uint64_t since) const {
        auto at = std::upper_bound(mappings_.begin(), mappings_.end(), fault.time,
                                   [](std::uint64_t time, const RecordedMapping& b) { return time < b.time; });
        for (std::ptrdiff_t looked = 0; at != mappings_.begin() && looked < kMostLookedAt; ++looked) {
            --at;
            if (at->time <= since) {
                return false;
            }
            if (at->begin <= fault.address && fault.address < at->end) {
                return true;
            }
        }
        return false;
    }

    void count(const AreaSpan* area, const char* otherwise, const FaultAddress& fault) {
        std::optional<AreaSpan> known = area != nullptr ? std::optional(*area) : std::nullopt;
        if (known) {
            // The end of the stack bounds it above, the area below.
            const auto owner = stacks_.owner(
                {.begin = fault.address, .end = known->end, .kind = known->kind, .path = {}}, fault.time);
            known->owner = owner ? owner : known->owner;
        }
        const std::string name = known ? area_name(*known) : otherwise;
        RegionFaults& region = by_name_[name];
        region.name = name;
        region.area = std::move(known);
        ++region.samples;
        region.faults += fault.faults;
    }

    const std::vector<std::uint64_t>& times_;
    std::vector<RecordedMapping> mappings_;
    OwnersOfStacks stacks_;
    MapCursor before_;
    MapCursor after_;
    std::map<std::string, RegionFaults> by_name_;
};

}  // namespace

std::vector<RegionFaults> faults_by_region(const MapReadings& readings, std::vector<FaultAddress> faults,
                                           std::vector<RecordedMapping> mappings,
                                           const std::vector<ThreadStack>& stacks) {
    std::stable_sort(faults.begin(), faults.end(),
                     [](const FaultAddress& a, const FaultAddress& b) { return a.time < b.time; });
    FaultNamer namer(readings, std::move(mappings), stacks);
    for (const FaultAddress& fault : faults) {
        namer.add(fault);
    }
    return namer.finish();
}

}  // namespace kymo::spacetime
