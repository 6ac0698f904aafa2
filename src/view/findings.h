// Findings, advantages and the control: for a terminal and as data (docs/json.md, docs/findings.md).
#pragma once

#include "findings/finding.h"
#include "spacetime/evidence/evidence.h"
#include "view/text.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// Findings, most at stake first, then advantages, then how many findings chance would give. Never empty: no
// findings is a result too. `top`: findings shown, with their evidence and direction.
std::string terminal_findings(const Style& style, const spacetime::Evidence& evidence,
                              const findings::Judgement& judgement, std::size_t top);
// The first `top` in three lines each (kind, certainty, direction), the others in one. Never empty either.
std::string terminal_short_findings(const Style& style, const findings::Judgement& judgement, std::size_t top);
// One in full, and the occurrences that it counted, at most `top` of them and as many others; precondition: number
// is from 1 to the number of findings.
std::string terminal_finding(const Style& style, const spacetime::Evidence& evidence,
                             const findings::Judgement& judgement, std::size_t number, std::size_t top);

// The report's `findings` and `advantages`; and `findings_control`.
nlohmann::ordered_json json_findings(const spacetime::Evidence& evidence,
                                     const std::vector<findings::Finding>& findings);
nlohmann::ordered_json json_control(const findings::Control& control);

}  // namespace kymo::view
