// The results of a hunt.
#include "view/hunt_results.h"
#include "view/sections/section.h"

#include <algorithm>

namespace kymo::view {

extern const Section kHuntSection{
    .place = 110,
    .text =
        [](const SectionInput& in) {
            // One result at least, however short the report: it is what the run was for.
            return terminal_hunt_results(in.options.style, in.analysis.hunt_results,
                                         std::max<std::size_t>(in.others(), 1), in.options.is_short);
        },
    .json =
        [](const analysis::Analysis& analysis, nlohmann::ordered_json& report) {
            report["hunt"] = json_hunt(analysis.hunt_results);
            report["finds"] = json_hunt_results(analysis.hunt_results);
        },
};

}  // namespace kymo::view
