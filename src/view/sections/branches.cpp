// What the processor's branch stacks show, of files of perf that have them.
#include "view/processor/branches.h"

#include "view/sections/section.h"

namespace kymo::view {

extern const Section kBranchesSection{
    .place = 55,
    .needs_code = true,
    .text =
        [](const SectionInput& in) { return terminal_branches(in.options.style, in.analysis.branches, in.others()); },
    .json =
        [](const analysis::Analysis& analysis, nlohmann::ordered_json& report) {
            if (analysis.branches.is_known()) {
                report["branches"] = json_branches(analysis.branches);
            }
        },
};

}  // namespace kymo::view
