#include "view/terminal.h"

#include "view/terminal/sections.h"
#include "view/threads/rank_nodes.h"

#include <initializer_list>
#include <vector>

namespace kymo::view {
namespace {

using Section = void (*)(Sheet&);

Sheet sheet_of(const spacetime::Profile& profile, const spacetime::CallTree& tree, const ReportOptions& options) {
    return {.profile = profile,
            .tree = tree,
            .folded = spacetime::fold_recursion(tree, ranks_to_combine(profile, tree)),
            .options = options,
            .style = options.style};
}

void add(Sheet& sheet, std::initializer_list<Section> sections) {
    for (const Section section : sections) {
        section(sheet);
    }
}

// A recording of hosts has no code.
bool has_code(const spacetime::Profile& profile) {
    return !profile.threads.empty() || !profile.processes.empty();
}

}  // namespace

std::string terminal_head(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                          const ReportOptions& options, const Headline& headline) {
    const spacetime::CallTree no_paths;
    Sheet sheet{.profile = profile, .tree = tree, .folded = no_paths, .options = options, .style = options.style};
    header(sheet);
    for (const std::string& alarm : headline.alarms) {
        sheet.out += paint(sheet.style, Ink::kAlarm, wrap(sheet.style, alarm, 0, 2));
    }
    if (!headline.verdict.empty()) {
        const std::string text = with_signs(sheet.style, headline.verdict);
        sheet.out += paint(sheet.style, Ink::kHeading, cut_end(sheet.style, text, sheet.style.width)) + "\n";
    }
    return std::move(sheet.out);
}

std::string terminal_overview(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                              const ReportOptions& options, const Headline& headline) {
    Sheet sheet = sheet_of(profile, tree, options);
    sheet.out = terminal_head(profile, tree, options, headline);
    if (has_code(profile)) {
        add(sheet, {summary, measured});
    }
    add(sheet, {not_measured});
    return std::move(sheet.out);
}

std::string terminal_tables(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                            const ReportOptions& options) {
    Sheet sheet = sheet_of(profile, tree, options);
    if (has_code(profile)) {
        const MoreTables more = options.is_short ? options.more : MoreTables::all();
        add(sheet, {call_paths, functions});
        if (more.lines) {
            add(sheet, {lines});
        }
        add(sheet, {ranks, programs});
        if (!options.is_short) {
            add(sheet, {processes});
        }
        if (more.threads) {
            add(sheet, {threads});
        }
        add(sheet, {threads_over_time});
        if (more.threads) {
            add(sheet, {off_the_processor});
        }
        if (more.events) {
            add(sheet, {events});
        }
    }
    add(sheet, {notes});
    return std::move(sheet.out);
}

}  // namespace kymo::view
