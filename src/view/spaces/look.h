// A second look (`kymo record --for`): the requested events, on what the earlier recording kept, beside that one's
// own figures. As data the keys are those of docs/json.md.
#pragma once

#include "spacetime/evidence/evidence.h"
#include "spacetime/look/second_look.h"
#include "view/report_options.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kymo::view {

// `earlier`: the evidence that look's numbers refer to; nullptr if there is none. null if the recording is not a
// second look.
nlohmann::ordered_json json_second_look(const spacetime::SecondLook& look, const spacetime::Evidence* earlier);

// Empty if the recording is not a second look.
std::string terminal_second_look(const ReportOptions& options, const spacetime::SecondLook& look,
                                 const spacetime::Evidence* earlier, std::string_view filter = {});

}  // namespace kymo::view
