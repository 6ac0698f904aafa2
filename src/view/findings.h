// Findings, advantages and the control: for a terminal and as data (docs/json.md, docs/findings.md).
#pragma once

#include "findings/finding.h"
#include "spacetime/evidence/evidence.h"
#include "view/text.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// What the report opens with: findings, most at stake first, then what is good, then how many findings chance would
// give. Never empty: that nothing stands out is a result. `top`: findings shown; the first `in_full` of them with
// their evidence and what to do, the others in a line.
std::string terminal_findings(const Style& style, const spacetime::Evidence& evidence,
                              const findings::Judgement& judgement, std::size_t top, std::size_t in_full = SIZE_MAX);

// The report's `findings` and `advantages`; and `findings_control`.
nlohmann::ordered_json json_findings(const spacetime::Evidence& evidence,
                                     const std::vector<findings::Finding>& findings);
nlohmann::ordered_json json_control(const findings::Control& control);

}  // namespace kymo::view
