// Memory of the processes over time.
#include "view/memory/memory.h"

#include "view/sections/section.h"

namespace kymo::view {

extern const Section kMemorySection{
    .place = 100,
    .needs_code = true,
    .text =
        [](const SectionInput& in) {
            return in.more.memory
                       ? terminal_memory(in.options.style, in.analysis.profile, in.analysis.memory, in.options.top)
                       : std::string();
        },
    .json = [](const analysis::Analysis& analysis,
               nlohmann::ordered_json& report) { report["memory"] = json_memory(analysis.profile, analysis.memory); },
};

}  // namespace kymo::view
