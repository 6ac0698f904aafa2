// growth: a function takes longer the more the program has done before.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/statistics/growth.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <utility>

namespace kymo::findings {
namespace {

using namespace spacetime;

// Of the program's processor time: with less of it beside, there is nothing to measure the function's time by.
constexpr double kLeastBeside = 0.05;

// Symbols of one name in a module are one function's.
TimeBatches times_of(const Account& account, const program::SourcePlace& place) {
    TimeBatches times{};
    for (const FunctionInTime& one : account.in_time) {
        if (one.function == place.function && one.module == place.module) {
            std::transform(one.ns.begin(), one.ns.end(), times.begin(), times.begin(), std::plus<>());
        }
    }
    return times;
}

double sum_of(const TimeBatches& times) {
    return static_cast<double>(std::accumulate(times.begin(), times.end(), std::int64_t{0}));
}

void claim_growth(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const auto sums = sums_by_function(evidence.account, is_processor_time);
    for (const AccountSums& own : sums) {
        const TimeBatches times = times_of(evidence.account, own.most->place);
        TimeBatches rest{};
        std::transform(evidence.account.busy.begin(), evidence.account.busy.end(), times.begin(), rest.begin(),
                       std::minus<>());
        const Growth growth = growth_of(times, rest);
        const double own_ns = sum_of(times);
        const double grown = own_ns > 0 ? growth.grown / own_ns : 0;  // part of its time
        Claim claim = claim_of(evidence, own, set_of(Term::kUser));
        claim.shorter_ns *= grown;
        if (!growth.grows || sum_of(rest) < kLeastBeside * sum_of(evidence.account.busy) ||
            claim.shorter_ns < least_ns(evidence)) {
            continue;
        }
        for (ThreadTime& time : claim.own) {
            time.ns *= grown;
        }
        claim.title = fmt::format(
            "{} takes longer and longer: beside the last eighth of the program's other work {}, beside the first one "
            "{}, and it rises steadily in between.",
            name(*claim.place), in_seconds(growth.last), in_seconds(growth.first));
        claim.evidence = {seconds("beside an eighth of the other work", growth.last / 1e9, growth.first / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kGrowth{
    .place = 262,
    .kind = "growth",
    .needs =
        "the run could be a tenth shorter had a function always taken as long as beside the first eighth of the "
        "program's other work; its time rises in a straight line over the eighths, to four times or more",
    .against =
        "it rises in one half of the run only: a phase of the program; the other work is less than a twentieth. "
        "Whether "
        "the function was given more to do each time is not known",
    .look = claim_growth,
    .direction =
        "look for what it goes through or moves on each call and what grows with the number of earlier calls: an "
        "index, a tree or a hash table instead of a list, or forgetting what is no longer needed",
    .confirm = "run with half of the input: this function's time must become a quarter, not half",
};

}  // namespace kymo::findings
