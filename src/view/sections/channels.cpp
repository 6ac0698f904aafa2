// Messages, bytes and time between the parties of a run.
#include "view/channels.h"

#include "view/sections/section.h"

namespace kymo::view {

extern const Section kChannelsSection{
    .place = 90,
    .text =
        [](const SectionInput& in) {
            return terminal_channels(in.options.style, in.analysis.metrics, in.others(),
                                     in.is_usual_alone(&MoreTables::channels));
        },
    .json = [](const analysis::Analysis& analysis,
               nlohmann::ordered_json& report) { report["channels"] = json_channels(analysis.metrics); },
};

}  // namespace kymo::view
