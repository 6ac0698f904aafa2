#include "view/report_markdown.h"

#include "view/metric.h"
#include "view/report.h"
#include "view/summary.h"
#include "view/text.h"
#include "view/verdict.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::view {
namespace {

using namespace spacetime;

constexpr Style kPlain{.width = 100, .colour = false, .unicode = true};

std::string findings(const findings::Judgement& judgement, std::size_t top) {
    std::string text;
    for (std::size_t i = 0; i < judgement.findings.size() && i < top; ++i) {
        const findings::Finding& one = judgement.findings[i];
        text += fmt::format("{}. **{}** {}: {}\n", i + 1, one.kind,
                            one.is_cost_known ? percent(one.share) + " of the run" : "cost not known",
                            markdown_text(one.title));
        if (!one.direction.empty()) {
            text += fmt::format("   → {}\n", markdown_text(one.direction));
        }
    }
    if (text.empty()) {
        return "\nNothing stands out.\n";
    }
    const std::size_t more = judgement.findings.size() - std::min(judgement.findings.size(), top);
    return "\n### Findings\n\n" + text + (more != 0 ? fmt::format("\n{} more\n", more) : "");
}

}  // namespace

std::string markdown_code(const std::string& name) {
    std::string text;
    for (const char letter : name) {
        text += letter == '|' ? std::string("\\|") : letter == '`' ? std::string("'") : std::string(1, letter);
    }
    return "`" + text + "`";
}

std::string markdown_text(const std::string& text) {
    std::string out;
    bool is_code = false;
    for (const char letter : text) {
        is_code = is_code != (letter == '`');
        const bool is_mark = !is_code && (letter == '*' || letter == '_' || letter == '<' || letter == '[');
        out += is_mark ? std::string("\\") + letter : std::string(1, letter);
    }
    return out;
}

std::string report_markdown(const analysis::Analysis& analysis, const Metric& metric, std::size_t top) {
    const Profile& profile = analysis.profile;
    const std::string command = command_line(profile.command);
    std::string text = fmt::format("**{}**: {}\n\n", command.empty() ? "a recording" : markdown_code(command),
                                   markdown_text(verdict(analysis.judgement, analysis.evidence.account)));
    for (const std::string& alarm : alarms(profile, analysis.judgement)) {
        text += "> " + markdown_text(alarm) + "\n\n";
    }
    const ReportOptions screen{
        .style = kPlain, .metric = metric, .top = top, .limits = ShortLimits::all(top), .is_short = true};
    return text + findings(analysis.judgement, top).substr(1) + "\n```text\n" + report_screen(analysis, screen) +
           "```\n";
}

}  // namespace kymo::view
