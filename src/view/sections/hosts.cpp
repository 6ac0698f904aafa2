// Hosts of a recording by the ring's manager.
#include "view/hosts.h"

#include "view/sections/section.h"

namespace kymo::view {

extern const Section kHostsSection{
    .place = 30,
    .text = [](const SectionInput& in) { return terminal_hosts(in.options.style, in.analysis.metrics, in.others()); },
    .json = [](const analysis::Analysis& analysis,
               nlohmann::ordered_json& report) { report["hosts"] = json_hosts(analysis.metrics); },
};

}  // namespace kymo::view
