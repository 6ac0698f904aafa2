#include "view/terminal.h"

#include "view/terminal/sections.h"

namespace kymo::view {

std::string terminal_report(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                            const ReportOptions& options) {
    Sheet sheet{.profile = profile,
                .tree = tree,
                .folded = spacetime::fold_recursion(tree),
                .options = options,
                .style = options.style};
    if (profile.threads.empty() && profile.processes.empty()) {  // of hosts: nothing of code
        for (const auto& section : {header, not_measured, notes}) {
            section(sheet);
        }
        return std::move(sheet.out);
    }
    for (const auto& section : {header, summary, measured, not_measured, call_paths, functions, lines, ranks,
                                processes, threads, states, events, notes}) {
        section(sheet);
    }
    return std::move(sheet.out);
}

}  // namespace kymo::view
