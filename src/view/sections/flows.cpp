// Flows of an imported trace.
#include "view/flows/flows.h"

#include "view/sections/section.h"

namespace kymo::view {

extern const Section kFlowsSection{
    .place = 95,
    .needs_code = true,
    .text =
        [](const SectionInput& in) {
            return terminal_flows(in.options.style, in.analysis.profile, in.analysis.flows.sums, in.others());
        },
    .json =
        [](const analysis::Analysis& analysis, nlohmann::ordered_json& report) {
            if (!analysis.flows.sums.empty()) {
                report["flows"] = json_flows(analysis.profile, analysis.flows.sums);
            }
        },
};

}  // namespace kymo::view
