// The memory that sampled instructions used, of files of perf that say it.
#include "view/processor/accesses.h"

#include "view/sections/section.h"

namespace kymo::view {

extern const Section kAccessesSection{
    .place = 56,
    .needs_code = true,
    .text =
        [](const SectionInput& in) {
            return terminal_accesses(in.options.style, in.analysis.profile, in.analysis.accesses,
                                     in.analysis.evidence.shared_lines, in.others());
        },
    .json =
        [](const analysis::Analysis& analysis, nlohmann::ordered_json& report) {
            if (analysis.accesses.is_known()) {
                report["memory_accesses"] =
                    json_accesses(analysis.profile, analysis.accesses, analysis.evidence.shared_lines);
            }
        },
};

}  // namespace kymo::view
