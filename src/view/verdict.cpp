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

// ": most of the thread time is work (68.1 %), most of that in `f` (f.cpp:12)"; "" where less than half of it is.
std::string work_words(const spacetime::Account& account) {
    const std::int64_t work = account.of(spacetime::TimeClass::kWork);
    if (work * 2 < account.total_ns || account.total_ns <= 0) {
        return {};
    }
    const auto most = std::find_if(account.rows.begin(), account.rows.end(), [](const spacetime::AccountRow& row) {
        return row.time_class == spacetime::TimeClass::kWork && !row.place.function.empty();
    });
    std::string text = fmt::format(": {} of the thread time is work",
                                   percent(static_cast<double>(work) / static_cast<double>(account.total_ns)));
    if (most != account.rows.end()) {
        spacetime::Place place;
        place.function = most->place.function;
        place.file = most->place.file;
        place.line_begin = place.line_end = most->place.line;
        text += fmt::format(", {} of that in {}", percent(static_cast<double>(most->ns) / static_cast<double>(work)),
                            findings::name(place));
    }
    return text;
}

}  // namespace

std::string verdict(const Judgement& judgement, const spacetime::Account& account) {
    if (judgement.is_withheld) {
        return "No verdict: no findings are drawn from a damaged recording";
    }
    const auto& all = judgement.findings;
    const auto first = std::find_if_not(all.begin(), all.end(), is_of_machine);
    if (first == all.end()) {
        return (all.empty() ? "Nothing stands out" : "Nothing stands out in the program itself") +
               work_words(account);
    }
    std::string text = first->is_cost_known
                           ? fmt::format("{} takes {} of the run", first->kind, percent(first->share))
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
