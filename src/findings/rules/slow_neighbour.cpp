// slow-neighbour: a piece of code is slow after one neighbour and fast after another.
#include "findings/rules/common.h"
#include "findings/rules/table.h"
#include "findings/words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

constexpr double kLeastSlower = 1.2;

bool may_speak(const Case& subject) {
    // More work after that neighbour is no slowness.
    const double speed = work_ratio(subject);
    return subject.tested && (std::isnan(speed) || speed < 0.9 || speed > 1.1);
}

std::string against_words(const Case& subject) {
    return fmt::format("{} ({} times, {}) than otherwise ({} times, {})",
                       neighbour_name(*subject.evidence, subject.neighbour),
                       number(static_cast<double>(subject.bad.count)), in_seconds(subject.bad.median_ns),
                       number(static_cast<double>(subject.good.count)), in_seconds(subject.good.median_ns));
}

void look_for_slow(const Case& subject, std::vector<Claim>* claims) {
    if (!may_speak(subject) || subject.bad.median_ns < kLeastSlower * subject.good.median_ns) {
        return;
    }
    Claim claim;
    claim.explains = Explains{.terms = kAllTerms & ~set_of(Term::kRunQueue)};
    claim.feature = "duration";
    claim.title = fmt::format("{} takes {} longer after {}.", name(*subject.evidence, subject.node),
                              times(subject.bad.median_ns / subject.good.median_ns), against_words(subject));
    if (const std::string account = account_words(subject); !account.empty()) {
        claim.title += " " + account + ".";
    }
    claims->push_back(std::move(claim));
}

void look_for_fast(const Case& subject, std::vector<Claim>* claims) {
    if (!may_speak(subject) || subject.bad.median_ns * kLeastSlower > subject.good.median_ns) {
        return;
    }
    Claim claim;
    claim.feature = "duration";
    // What it saves where it is fast.
    for (const std::size_t row : subject.bad_rows) {
        const auto wall = static_cast<double>(subject.space().rows.terms[row].wall());
        claim.own.push_back({subject.space().rows.thread[row], std::max(0.0, subject.good.median_ns - wall)});
        claim.own_parts.push_back(std::max(0.0, subject.good.median_ns - wall));
    }
    claim.title = fmt::format("{} is {} faster after {}.", name(*subject.evidence, subject.node),
                              times(subject.good.median_ns / subject.bad.median_ns), against_words(subject));
    claims->push_back(std::move(claim));
}

constexpr std::string_view kNeeds =
    "at least five visits after this neighbour and five others (30 where visits are under eight samples), medians "
    "1.2 times apart, and chance does not explain it in pairs of visits that follow each other";

}  // namespace

const Rule kSlowNeighbour{
    .kind = "slow-neighbour",
    .contrast = Contrast::kNeighbours,
    .needs = kNeeds,
    .against = "progress by user time is the same: then there is more work after this neighbour",
    .look = look_for_slow,
    .direction =
        "look at what the neighbour leaves behind: the order and place of the data, the contents of the caches, the "
        "state of a lock or a file; and restore what the fast neighbour leaves",
    .confirm =
        "put something neutral between the two (or change their order) and record again: the difference must go",
};

const Rule kFastNeighbour{
    .kind = "slow-neighbour",
    .contrast = Contrast::kNeighbours,
    .needs = kNeeds,
    .against = "progress by user time is the same: then there is less work after this neighbour",
    .look = look_for_fast,
    .direction = "what this neighbour leaves behind is worth having elsewhere as well",
    .confirm = "compare the lines of the two neighbours: the order and place of the data that they leave",
    .is_advantage = true,
};

}  // namespace kymo::findings
