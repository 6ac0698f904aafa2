#include "view/verdict.h"

#include "findings/words.h"
#include "view/summary.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::view {
namespace {

using findings::Finding;
using findings::Judgement;

// The one kind about the machine and not the program.
bool is_of_machine(const Finding& finding) {
    return finding.kind == "outside-interference";
}

}  // namespace

std::string verdict(const Judgement& judgement) {
    if (judgement.is_withheld) {
        return "No verdict: no findings are drawn from a damaged recording";
    }
    const auto& all = judgement.findings;
    const auto first = std::find_if_not(all.begin(), all.end(), is_of_machine);
    if (first == all.end()) {
        return all.empty() ? "Nothing stands out" : "Nothing stands out in the program itself";
    }
    std::string text = first->is_cost_known
                           ? fmt::format("{} takes up to {} of the run", first->kind, percent(first->share))
                           : fmt::format("{}, at a cost that is not known", first->kind);
    if (!first->place.function.empty()) {
        text += ", in " + findings::name(first->place);
    }
    return text;
}

std::vector<std::string> alarms(const spacetime::Profile& profile, const Judgement& judgement) {
    std::vector<std::string> all = alarms(profile);
    const auto& found = judgement.findings;
    const auto taken = std::find_if(found.begin(), found.end(), is_of_machine);
    if (taken != found.end()) {
        all.push_back(
            fmt::format("Machine taken: other work took processors from the program for {} of the run "
                        "(finding {}). Measure again on a quiet machine.",
                        percent(taken->share), taken - found.begin() + 1));
    }
    return all;
}

}  // namespace kymo::view
