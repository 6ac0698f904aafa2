#include "findings/exact.h"

#include "program/demangle.h"
#include "spacetime/exact/chosen_functions.h"

#include <fmt/format.h>

namespace kymo::findings {
namespace {

constexpr std::uint64_t kFewestCalls = 3;  // fewer have no distribution

void add_distribution(const spacetime::ExactFunction& function, Finding* finding) {
    const double median = static_cast<double>(function.quantile(0.5)) / 1e9;
    const auto row = [&](const std::string& what, std::uint64_t ns) {
        const double value = static_cast<double>(ns) / 1e9;
        finding->evidence.push_back(seconds_of(what, value, median, median > 0 ? value / median : kUnknown));
    };
    row(fmt::format("the longest of exactly {} calls, against the median:", function.calls), function.longest());
    row("the call that 99 in 100 do not exceed:", function.quantile(0.99));
}

bool is_unsettled(const spacetime::Evidence& evidence, const Finding& finding) {
    return finding.is_compared && (!finding.tested || finding.node.in(evidence.nodes).folded);
}

void prefer_exact(const spacetime::Evidence& evidence, const spacetime::ExactCalls& exact, const std::string& command,
                  Finding* finding) {
    if (finding->node == kNone) {
        return;
    }
    const spacetime::ExactFunction* known = exact.of(finding->node.in(evidence.nodes));
    const NodeIndex function = spacetime::function_around(evidence, finding->node);
    if (known != nullptr && known->timed() >= kFewestCalls) {
        add_distribution(*known, finding);
    } else if (exact.functions.empty() && is_unsettled(evidence, *finding) && function != kNone &&
               !function.in(evidence.nodes).place.build_id.empty()) {
        finding->confirm +=
            fmt::format("{}every call of `{}`, counted and timed: {}", finding->confirm.empty() ? "" : "; ",
                        program::plain_name(function.in(evidence.nodes).place.function), command);
    }
}

}  // namespace

void prefer_exact(const spacetime::Evidence& evidence, const spacetime::ExactCalls& exact,
                  const std::string& recording, Judgement* judgement) {
    const std::string command = fmt::format("`kymo record --for {} --exact`", recording);
    for (Finding& finding : judgement->findings) {
        prefer_exact(evidence, exact, command, &finding);
        for (Finding& also : finding.also) {
            prefer_exact(evidence, exact, command, &also);
        }
    }
}

}  // namespace kymo::findings
