// Call paths, functions, lines, threads, events.
#include "view/sections/section.h"
#include "view/terminal.h"
#include "view/threads/created_with.h"

namespace kymo::view {

extern const Section kProfileSection{
    .place = 20,
    .text =
        [](const SectionInput& in) {
            return terminal_tables(in.analysis.profile, in.analysis.named.tree, in.options);
        },
    // What json_report() does not have: it makes the rest of the profile's keys.
    .json =
        [](const analysis::Analysis& analysis, nlohmann::ordered_json& report) {
            for (std::size_t i = 0; i < analysis.profile.threads.size(); ++i) {
                report["threads"][i]["created_with"] =
                    json_created_with(analysis.profile, analysis.named.names(), analysis.profile.threads[i]);
            }
        },
};

}  // namespace kymo::view
