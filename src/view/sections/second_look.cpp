// A second look beside the recording that it was made for (`kymo record --for`).
#include "view/sections/section.h"
#include "view/spaces/look.h"

namespace kymo::view {

extern const Section kSecondLookSection{
    .place = 60,
    .is_collection = true,
    .needs_code = true,
    .text =
        [](const SectionInput& in) {
            const analysis::EarlierLook& earlier = in.analysis.earlier;
            return terminal_second_look(in.options, earlier.join(in.analysis.evidence), earlier.evidence(),
                                        in.filter);
        },
    .json =
        [](const analysis::Analysis& analysis, nlohmann::ordered_json& report) {
            report["second_look"] =
                json_second_look(analysis.earlier.join(analysis.evidence), analysis.earlier.evidence());
        },
};

}  // namespace kymo::view
