// slow-neighbour: a piece of code is slow after one neighbour and fast after another.
#include "findings/cases/sides.h"
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/neighbourhood.h"
#include "findings/statistics/robust.h"
#include "findings/words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace kymo::findings {
namespace {

constexpr double kMostWaiting = 0.5;    // of the excess: then others make it wait, not its neighbour
constexpr double kLeastEffect = 0.474;  // Cliff's delta: large (Romano and others, 2006). If short neighbours are
                                        // not seen, the one before them replaces them half of the time
constexpr std::size_t kLeastOthers = 5;
constexpr double kLeastPeriods = 2;  // between the medians: an occurrence's ends are known to a sampling period
constexpr double kSurelySeen = 8;    // periods: none of that length is overlooked, whatever the short ones are

// The median of the others without those that follow the space itself, since a wait may cut an occurrence in two,
// whose rest is short in any case. NaN: too few are left.
double others_median(const Case& subject) {
    const auto& rows = subject.space().rows;
    std::vector<double> others;
    for (const std::size_t row : subject.good_rows) {
        if ((subject.before == spacetime::kAnyNeighbour || rows.before[row] != raw(subject.node)) &&
            (subject.after == spacetime::kAnyNeighbour || rows.after[row] != raw(subject.node))) {
            others.push_back(static_cast<double>(own_ns(rows.terms[row])));
        }
    }
    return others.size() < kLeastOthers ? std::numeric_limits<double>::quiet_NaN() : median(std::move(others));
}

// More work after that neighbour is not slowness. For occurrences shorter than the sampling can resolve, it is
// chance which ones follow, unless all the long ones are seen: then their predecessors are not chance.
bool may_speak(const Case& subject) {
    const double speed = work_ratio(subject);
    const double period = sampling_period(*subject.evidence);
    const Feature* duration = subject.feature("duration");
    const auto [shorter, longer] = std::minmax(subject.bad.median_ns, subject.good.median_ns);
    return subject.tested && !may_merge(*subject.evidence, subject.node) && duration != nullptr &&
           std::abs(duration->effect) >= kLeastEffect && (std::isnan(speed) || speed < 0.9 || speed > 1.1) &&
           (shorter >= kLeastPeriods * period || longer >= kSurelySeen * period) &&
           longer - shorter >= kLeastPeriods * period;
}

std::string against_words(const Case& subject) {
    return fmt::format("{} ({} times, {}) than otherwise ({} times, {})", neighbourhood_words(subject),
                       number(static_cast<double>(subject.bad.count)), in_seconds(subject.bad.median_ns),
                       number(static_cast<double>(subject.good.count)), in_seconds(subject.good.median_ns));
}

double row_ns(const Case& subject, std::size_t row) {
    return static_cast<double>(own_ns(subject.rows().terms[row]));
}

void claim_slow(const Case& subject, std::vector<Claim>* claims) {
    // (Also false if it is not known.)
    const bool is_slower =
        subject.bad.median_ns >= kLeastSlower * others_median(subject) &&
        is_beyond_either(subject, kLeastSlower, true, [&](std::size_t row) { return row_ns(subject, row); });
    if (!may_speak(subject) || !is_slower || subject.bad.median_ns < kLeastSlower * subject.good.median_ns ||
        subject.excess_share(set_of(Term::kWaiting, Term::kSpinning)) > kMostWaiting) {
        return;
    }
    Claim claim;
    claim.explains = Explains{.terms = kAllTerms & ~set_of(Term::kRunQueue)};
    claim.feature = "duration";
    claim.title = fmt::format("{} takes {} longer {}.", name(*subject.evidence, subject.node),
                              times(subject.bad.median_ns / subject.good.median_ns), against_words(subject));
    if (const std::string account = account_words(subject); !account.empty()) {
        claim.title += " " + account + ".";
    }
    claims->push_back(std::move(claim));
}

void look_for_slow(const Case& subject, std::vector<Claim>* claims) {
    if (!is_of_what_follows(subject)) {
        claim_slow(subject, claims);
    }
}

void look_for_slow_before(const Case& subject, std::vector<Claim>* claims) {
    if (is_of_what_follows(subject)) {
        claim_slow(subject, claims);
    }
}

void look_for_fast(const Case& subject, std::vector<Claim>* claims) {
    const bool is_faster =
        subject.bad.median_ns * kLeastSlower <= others_median(subject) &&
        is_beyond_either(subject, kLeastSlower, false, [&](std::size_t row) { return row_ns(subject, row); });
    if (is_of_what_follows(subject) || !may_speak(subject) || !is_faster ||
        subject.bad.median_ns * kLeastSlower > subject.good.median_ns) {
        return;
    }
    Claim claim;
    claim.feature = "duration";
    // The saving if it is fast.
    for (const std::size_t row : subject.bad_rows) {
        const spacetime::TimeTerms& terms = subject.space().rows.terms[row];
        const double saved = std::max(0.0, subject.good.median_ns - static_cast<double>(own_ns(terms)));
        claim.own.push_back({subject.space().rows.thread[row], saved});
        claim.own_parts.push_back(saved);
    }
    claim.title = fmt::format("{} is {} faster {}.", name(*subject.evidence, subject.node),
                              times(subject.good.median_ns / subject.bad.median_ns), against_words(subject));
    claims->push_back(std::move(claim));
}

constexpr std::string_view kSlowNeighbourNeeds =
    "at least five occurrences after this neighbour (or between two, of which either comes five times without the "
    "other) and five others (30 where occurrences are under eight samples), medians (without waiting for a "
    "processor) two sampling periods and more or one of them eight, and 1.2 times and two periods apart, most "
    "occurrences of the one side longer than most of the other (Cliff's delta 0.474), and chance does not explain it "
    "in pairs of occurrences "
    "that follow each other; between two neighbours it must be more than beside either one";

}  // namespace

extern const Rule kSlowNeighbour{
    .place = 220,
    .kind = "slow-neighbour",
    .contrast = Contrast::kNeighbours,
    .needs = kSlowNeighbourNeeds,
    .against =
        "progress by user time is the same: then there is more work after this neighbour; or most of the excess is "
        "waiting for others; or what lies between two occurrences is often too short to be seen: then some are "
        "several",
    .look = look_for_slow,
    .direction =
        "look at what the neighbour leaves behind: the order and place of the data, the contents of the caches, the "
        "state of a lock or a file; and restore what the fast neighbour leaves",
    .confirm =
        "put something neutral between the two (or change their order) and record again: the difference must go",
};

extern const Rule kSlowBeforeNeighbour{
    .place = 225,
    .kind = "slow-neighbour",
    .contrast = Contrast::kNeighbours,
    .needs = "the same, by what comes after",
    .against = "what comes before says it as well",
    .look = look_for_slow_before,
    .direction =
        "what comes after was decided here, or by the same input: look at what the slow ones were given that the "
        "others were not",
    .confirm = "print the input of this code together with what follows it, and compare the slow and the fast ones",
    .is_generic = true,  // an order of execution is not a cause
};

extern const Rule kFastNeighbour{
    .place = 270,
    .kind = "slow-neighbour",
    .contrast = Contrast::kNeighbours,
    .needs = kSlowNeighbourNeeds,
    .against =
        "progress by user time is the same: then there is less work after this neighbour; or what lies between two "
        "occurrences is often too short to be seen: then some are several",
    .look = look_for_fast,
    .direction = "what this neighbour leaves behind is worth having elsewhere as well",
    .confirm = "compare the lines of the two neighbours: the order and place of the data that they leave",
    .is_advantage = true,
};

}  // namespace kymo::findings
