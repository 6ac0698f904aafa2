#include "view/terminal.h"

#include "view/summary.h"
#include "view/terminal/sections.h"

#include <fmt/format.h>

namespace kymo::view {

std::string terminal_alarms(const Style& style, const spacetime::Profile& profile) {
    std::string out;
    for (const std::string& alarm : alarms(profile)) {
        out += paint(style, Ink::kWarning, wrap(style, alarm, 0, 2));
    }
    return out.empty() ? out : out + "\n";
}

std::string left_out_note(const Style& style, std::size_t processes) {
    return "\n" +
           paint(style, Ink::kDim,
                 wrap(style,
                      fmt::format("Left out, with {} processes: each of them, lines, threads, why they were off "
                                  "the processor, events, code spaces, gaps, neighbours. All of it: kymo "
                                  "report --all",
                                  processes),
                      0, 0));
}

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
    if (options.is_brief) {
        for (const auto& section : {header, summary, measured, not_measured, call_paths, functions, ranks, programs,
                                    threads_over_time, notes}) {
            section(sheet);
        }
        return std::move(sheet.out);
    }
    for (const auto& section : {header, summary, measured, not_measured, call_paths, functions, lines, ranks,
                                programs, processes, threads, threads_over_time, off_the_processor, events, notes}) {
        section(sheet);
    }
    return std::move(sheet.out);
}

}  // namespace kymo::view
