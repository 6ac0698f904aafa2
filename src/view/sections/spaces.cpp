// Code spaces over time: the four collections.
#include "view/sections/section.h"
#include "view/spaces/collections.h"
#include "view/spaces/space_json.h"
#include "view/spaces/space_tables.h"

namespace kymo::view {

extern const Section kSpacesSection{
    .place = 40,
    .is_collection = true,
    .needs_code = true,
    .text =
        [](const SectionInput& in) {
            return in.options.is_short
                       ? terminal_collections(in.analysis.evidence, in.options, in.filter)
                       : terminal_spaces(in.analysis.evidence, in.options, in.filter, in.analysis.branches);
        },
    .json =
        [](const analysis::Analysis& analysis, nlohmann::ordered_json& report) {
            report["spaces"] = json_spaces(analysis.evidence);
            report["same_spaces"] = json_same_spaces(analysis.evidence, analysis.branches);
            report["intervals"] = json_intervals(analysis.evidence);
            report["patterns"] = json_patterns(analysis.evidence);
        },
};

}  // namespace kymo::view
