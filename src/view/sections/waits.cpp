// What threads waited for, and who blocked whom.
#include "view/waits.h"

#include "view/sections/section.h"

namespace kymo::view {

extern const Section kWaitsSection{
    .place = 70,
    .needs_code = true,
    .text =
        [](const SectionInput& in) {
            return terminal_waits(in.options.style, in.analysis.profile.waits, in.analysis.named.waits,
                                  in.options.rows(&ShortLimits::waits), in.is_usual_alone(&MoreTables::threads));
        },
    .json =
        [](const analysis::Analysis& analysis, nlohmann::ordered_json& report) {
            const spacetime::Waits& waits = analysis.profile.waits;
            report["waits"] = json_waits(waits, analysis.named.waits);
            report["blocking"] = json_blocking(waits, analysis.named.waits);
            report["brief_waits"] = json_brief_waits(waits);
        },
};

}  // namespace kymo::view
