#include "view/report_markdown.h"

#include "program/demangle.h"
#include "spacetime/waits/wait_table.h"
#include "view/metric.h"
#include "view/summary.h"
#include "view/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace kymo::view {
namespace {

using namespace spacetime;

constexpr Style kPlain{.width = 120, .colour = false, .unicode = true};

std::string times(const Profile& profile, const CallTree& tree) {
    const auto total = tree.total[0];
    return fmt::format(
        "| wall time | user | system | off processors |\n|---:|---:|---:|---:|\n| {} | {} | {} | {} |\n",
        duration(kPlain, static_cast<std::int64_t>(profile.end - profile.begin)), duration(kPlain, total[kUser]),
        duration(kPlain, total[kSystem]), duration(kPlain, total[kOffCpu]));
}

std::string functions(const CallTree& tree, std::size_t top) {
    std::vector<std::size_t> order(tree.functions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto self = [&](std::size_t row) { return processor_time(tree.function_self[row]); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return self(a) > self(b); });
    order.resize(std::min(order.size(), top));
    const std::int64_t all = processor_time(tree.total[0]);
    std::string text;
    for (const std::size_t row : order) {
        if (self(row) <= 0) {
            continue;
        }
        const FunctionCosts& one = tree.functions[row];
        text +=
            fmt::format("| {} | {} | {} | {} {} |\n", percent(share(self(row), all)),
                        percent(share(processor_time(tree.function_total[row]), all)), duration(kPlain, self(row)),
                        markdown_code(display_name(tree, one.function)), place(tree, one.file, one.line));
    }
    return text.empty() ? text : "\n### Functions\n\n| self | total | time | |\n|---:|---:|---:|---|\n" + text;
}

std::string waits(const Profile& profile, std::size_t top) {
    std::string text;
    std::size_t shown = 0;
    for (const WaitRow& row : make_wait_table(profile.waits).rows) {
        if (shown++ == top) {
            break;
        }
        const std::string where =
            row.place.function.empty() ? "" : " in " + markdown_code(program::plain_name(row.place.function));
        text +=
            fmt::format("| {} | {} | {}{} |\n", duration(kPlain, row.amount.ns),
                        count(static_cast<std::int64_t>(row.amount.count)), wait_words(row.kind, row.object), where);
    }
    return text.empty() ? text : "\n### Waits\n\n| time | waits | |\n|---:|---:|---|\n" + text;
}

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

std::string report_markdown(const analysis::Analysis& analysis, std::size_t top) {
    const Profile& profile = analysis.profile;
    const CallTree& tree = analysis.named.tree;
    const std::string command = command_line(profile.command);
    std::string text = fmt::format(
        "**{}**: {}, {}, {}, {}\n\n", command.empty() ? "a recording" : markdown_code(command),
        quantity(profile.processes.size(), "process", "processes"), quantity(profile.threads.size(), "thread"),
        quantity(profile.quality.samples, "sample"), ending(profile));
    for (const std::string& alarm : alarms(profile)) {
        text += "> " + markdown_text(alarm) + "\n\n";
    }
    return text + times(profile, tree) + findings(analysis.judgement, top) + functions(tree, top) +
           waits(profile, top);
}

}  // namespace kymo::view
