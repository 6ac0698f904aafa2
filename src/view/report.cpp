#include "view/report.h"

#include "view/findings.h"
#include "view/json.h"
#include "view/memory/memory.h"
#include "view/sections/section.h"
#include "view/terminal.h"
#include "view/verdict.h"

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

std::string findings_text(const analysis::Analysis& analysis, const ReportOptions& options) {
    if (!holds_code(analysis)) {
        return {};
    }
    return "\n" + (tables_of(options).findings
                       ? terminal_findings(options.style, analysis.evidence, analysis.judgement, options.top)
                       : terminal_short_findings(options.style, analysis.judgement, options.limits.findings));
}

// The part behind the findings.
std::string tables_text(const analysis::Analysis& analysis, const ReportOptions& options, const std::string& filter,
                        bool only_collections = false) {
    const SectionInput in{.analysis = analysis,
                          .options = options,
                          .filter = filter,
                          .is_of_code = holds_code(analysis),
                          .more = tables_of(options)};
    std::string text;
    for (const Section* section : sections()) {
        const bool is_wanted = !only_collections || section->is_collection;
        if (is_wanted && section->text != nullptr && (in.is_of_code || !section->needs_code)) {
            text += section->text(in);
        }
    }
    return text;
}

// With the rows that options.limits give.
std::string text_of(const analysis::Analysis& analysis, const ReportOptions& options, const std::string& filter) {
    const bool is_of_code = holds_code(analysis);
    const Headline headline{.verdict = is_of_code ? verdict(analysis.judgement, analysis.evidence.account) : "",
                            .alarms = alarms(analysis.profile, analysis.judgement)};
    if (options.is_short && options.more.is_collections_alone()) {
        return terminal_head(analysis.profile, analysis.named.tree, options, headline) +
               tables_text(analysis, options, filter, true);
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
    auto report = json_report(analysis.profile, analysis.named.tree);
    for (const Section* section : sections()) {
        if (section->json != nullptr) {
            section->json(analysis, report);
        }
    }
    return report;
}

}  // namespace kymo::view
