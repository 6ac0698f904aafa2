// The report as data without the ends of its long lists: `kymo report --json` (docs/json.md, "Long lists").
#pragma once

#include <nlohmann/json.hpp>

namespace kymo::view {

// Of a whole report (report_json()): every list keeps the items that matter most, in their order, and `left_out`
// counts the others by the list's name. Ids stay as they are. What the call tree loses is added up in nodes of the
// kind `left_out`, so that its sums stay. Cost: linear in the report, except sorting the lists that are cut.
nlohmann::ordered_json bounded(nlohmann::ordered_json report);

}  // namespace kymo::view
