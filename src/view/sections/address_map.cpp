// The address space of each process over time, as data: --address-map shows it alone.
#include "view/address_map.h"

#include "view/sections/section.h"

namespace kymo::view {

extern const Section kAddressMapSection{
    .place = 120,
    .json =
        [](const analysis::Analysis& analysis, nlohmann::ordered_json& report) {
            if (analysis.recording != nullptr) {
                const auto map = spacetime::load_address_map(*analysis.recording);
                report["address_map"] =
                    map ? json_address_map(analysis.profile, *map) : nlohmann::ordered_json(nullptr);
            }
        },
};

}  // namespace kymo::view
