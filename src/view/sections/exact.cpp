// Every call of chosen functions (`kymo record --for REC.kymo --exact`).
#include "view/sections/section.h"
#include "view/spaces/exact_table.h"

namespace kymo::view {

extern const Section kExactSection{
    .place = 50,
    .needs_code = true,
    .text =
        [](const SectionInput& in) {
            return terminal_exact(in.options, in.analysis.exact, in.analysis.evidence.run.begin, in.filter);
        },
    .json =
        [](const analysis::Analysis& analysis, nlohmann::ordered_json& report) {
            if (!analysis.exact.functions.empty()) {
                report["exact"] = json_exact(analysis.exact, analysis.evidence.run.begin);
            }
        },
};

}  // namespace kymo::view
