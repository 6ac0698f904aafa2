#include "view/report.h"

#include "spacetime/profile/wait_table.h"
#include "view/address_map.h"
#include "view/channels.h"
#include "view/findings.h"
#include "view/hosts.h"
#include "view/hunt_results.h"
#include "view/json.h"
#include "view/memory/memory.h"
#include "view/metrics.h"
#include "view/spaces/collections.h"
#include "view/spaces/exact_table.h"
#include "view/spaces/look.h"
#include "view/spaces/space_json.h"
#include "view/spaces/space_tables.h"
#include "view/terminal.h"
#include "view/threads/created_with.h"
#include "view/verdict.h"
#include "view/waits.h"

#include <algorithm>

namespace kymo::view {
namespace {

// The last words of a short report: what other parts there are.
std::string more_note(const Style& style, const analysis::Analysis& analysis) {
    std::string text = "More, by kymo report: ";
    if (!analysis.judgement.findings.empty()) {
        text += "--finding 1, --findings, ";
    } else if (!analysis.judgement.advantages.empty()) {
        text += "--findings, ";
    }
    text += "--lines, --threads, --events, --memory, --channels, --spaces, --gaps, --neighbours; everything: --all";
    return "\n" + paint(style, Ink::kDim, wrap(style, text, 0, 2));
}

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

bool holds_code(const analysis::Analysis& analysis) {
    return !analysis.profile.threads.empty() || !analysis.profile.processes.empty();
}

MoreTables tables_of(const ReportOptions& options) {
    return options.is_short ? options.more : MoreTables::all();
}

std::string second_look(const analysis::Analysis& analysis, const ReportOptions& options, const std::string& filter) {
    return terminal_second_look(options, analysis.earlier.join(analysis.evidence), analysis.earlier.evidence(),
                                filter);
}

std::string findings_text(const analysis::Analysis& analysis, const ReportOptions& options) {
    if (!holds_code(analysis)) {
        return {};
    }
    return "\n" + (tables_of(options).findings
                       ? terminal_findings(options.style, analysis.evidence, analysis.judgement, options.top)
                       : terminal_short_findings(options.style, analysis.judgement, options.limits.findings));
}

// The part behind the findings.
std::string tables_text(const analysis::Analysis& analysis, const ReportOptions& options, const std::string& filter) {
    const spacetime::Profile& profile = analysis.profile;
    const bool is_of_code = holds_code(analysis);
    const MoreTables more = tables_of(options);
    const std::size_t others = options.rows(&ShortLimits::others);
    std::string text = terminal_tables(profile, analysis.named.tree, options) +
                       terminal_hosts(options.style, analysis.metrics, others);
    if (is_of_code) {
        text += (options.is_short ? terminal_collections(analysis.evidence, options, filter)
                                  : terminal_spaces(analysis.evidence, options, filter)) +
                terminal_exact(options, analysis.exact, analysis.evidence.run.begin, filter) +
                second_look(analysis, options, filter) +
                terminal_waits(options.style, profile.waits, analysis.named.waits, options.rows(&ShortLimits::waits),
                               options.is_short && !more.threads);
    }
    return text +
           terminal_metrics(options.style, analysis.metrics, others, is_of_code && options.is_short && !more.events) +
           terminal_channels(options.style, analysis.metrics, others,
                             options.is_short && is_of_code && !more.channels) +
           (more.memory && is_of_code ? terminal_memory(options.style, profile, analysis.memory, options.top) : "") +
           terminal_hunt_results(options.style, analysis.hunt_results, others, options.is_short);
}

// With the rows that options.limits give.
std::string text_of(const analysis::Analysis& analysis, const ReportOptions& options, const std::string& filter) {
    const bool is_of_code = holds_code(analysis);
    const Headline headline{.verdict = is_of_code ? verdict(analysis.judgement) : "",
                            .alarms = alarms(analysis.profile, analysis.judgement)};
    if (options.is_short && options.more.is_collections_alone()) {
        return terminal_head(analysis.profile, analysis.named.tree, options, headline) +
               terminal_collections(analysis.evidence, options, filter) + second_look(analysis, options, filter);
    }
    return terminal_overview(analysis.profile, analysis.named.tree, options, headline) +
           (options.is_short && is_of_code && !options.more.memory
                ? memory_line(options.style, analysis.profile, analysis.memory)
                : "") +
           findings_text(analysis, options) + tables_text(analysis, options, filter) +
           (options.is_short && is_of_code ? more_note(options.style, analysis) : "");
}

}  // namespace

std::string report_text(const analysis::Analysis& analysis, const ReportOptions& options, const std::string& filter) {
    if (!options.fits_a_look) {
        return text_of(analysis, options, filter);
    }
    ReportOptions fitted = options;
    std::string text;
    for (const ShortLimits& limits : kShortLimits) {
        fitted.limits = limits;
        text = text_of(analysis, fitted, filter);
        if (lines_of(text) <= kShortLines) {
            break;
        }
    }
    return text;
}

std::string report_screen(const analysis::Analysis& analysis, const ReportOptions& options) {
    return terminal_overview(analysis.profile, analysis.named.tree, options) + tables_text(analysis, options, "");
}

nlohmann::ordered_json report_json(const analysis::Analysis& analysis) {
    const spacetime::Waits& waits = analysis.profile.waits;
    const spacetime::WaitTable& wait_table = analysis.named.waits;
    auto report = json_report(analysis.profile, analysis.named.tree);
    for (std::size_t i = 0; i < analysis.profile.threads.size(); ++i) {
        report["threads"][i]["created_with"] =
            json_created_with(analysis.profile, analysis.named.names(), analysis.profile.threads[i]);
    }
    report["alarms"] = alarms(analysis.profile, analysis.judgement);
    report["verdict"] = verdict(analysis.judgement);
    report["findings"] = json_findings(analysis.evidence, analysis.judgement.findings);
    report["advantages"] = json_findings(analysis.evidence, analysis.judgement.advantages);
    report["spaces"] = json_spaces(analysis.evidence);
    report["same_spaces"] = json_same_spaces(analysis.evidence);
    report["intervals"] = json_intervals(analysis.evidence);
    report["patterns"] = json_patterns(analysis.evidence);
    report["waits"] = json_waits(waits, wait_table);
    report["blocking"] = json_blocking(waits, wait_table);
    report["brief_waits"] = json_brief_waits(waits);
    report["findings_control"] = json_control(analysis.judgement.control);
    report["hunt"] = json_hunt(analysis.hunt_results);
    report["finds"] = json_hunt_results(analysis.hunt_results);
    report["second_look"] = json_second_look(analysis.earlier.join(analysis.evidence), analysis.earlier.evidence());
    if (!analysis.exact.functions.empty()) {
        report["exact"] = json_exact(analysis.exact, analysis.evidence.run.begin);
    }
    report["hosts"] = json_hosts(analysis.metrics);
    report["metrics"] = json_metrics(analysis.metrics);
    report["channels"] = json_channels(analysis.metrics);
    report["memory"] = json_memory(analysis.profile, analysis.memory);
    if (analysis.recording != nullptr) {
        const auto map = spacetime::load_address_map(*analysis.recording);
        report["address_map"] = map ? json_address_map(analysis.profile, *map) : nlohmann::ordered_json(nullptr);
    }
    return report;
}

}  // namespace kymo::view
