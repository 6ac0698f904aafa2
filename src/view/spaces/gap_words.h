// What filled a gap, what was waited for in it, and its events: in words below a row.
#pragma once

#include "view/spaces/space_sheet.h"

#include <functional>
#include <string>

namespace kymo::view {

// Name of a part of a gap (GapPart::node).
using PartName = std::function<std::string(std::uint32_t)>;
PartName node_part_name(const SpaceSheet& sheet, spacetime::NodeIndex node);
PartName group_part_name(const SpaceSheet& sheet);

// Phrases: "filled by smooth 120 ms, advance 60 ms; waited for sleep in pause 50 ms".
std::vector<std::string> filled_words(const SpaceSheet& sheet, const spacetime::LongGap& gap, const PartName& name);
// "page-faults 1,200 (mean 3.1)", …: in this gap and in all of `interval` on average. Events that hardly any gap has
// are left out.
std::vector<std::string> gap_event_words(const SpaceSheet& sheet, const spacetime::LongGap& gap,
                                         const spacetime::SpaceIntervals& interval,
                                         const std::vector<spacetime::CounterIndex>& events);

}  // namespace kymo::view
