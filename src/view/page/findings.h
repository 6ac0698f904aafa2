// Findings as the page's cards: the same as terminal and JSON print, with the space and time that a click leads to.
#pragma once

#include "findings/finding.h"
#include "spacetime/evidence/evidence.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace kymo::view {

// `calls`: evidence node → node of the page's call tree (occurrences.h).
nlohmann::ordered_json page_findings(const spacetime::Evidence& evidence, const findings::Judgement& judgement,
                                     const spacetime::Profile& profile, const std::vector<std::uint32_t>& calls);

}  // namespace kymo::view
