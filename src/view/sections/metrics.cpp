// Metrics of programs, descriptions, libraries and hosts.
#include "view/metrics.h"

#include "view/sections/section.h"

namespace kymo::view {

extern const Section kMetricsSection{
    .place = 80,
    .text =
        [](const SectionInput& in) {
            return terminal_metrics(in.options.style, in.analysis.metrics, in.others(),
                                    in.is_usual_alone(&MoreTables::events));
        },
    .json = [](const analysis::Analysis& analysis,
               nlohmann::ordered_json& report) { report["metrics"] = json_metrics(analysis.metrics); },
};

}  // namespace kymo::view
