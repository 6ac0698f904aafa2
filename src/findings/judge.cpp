#include "findings/judge.h"

#include "findings/cases/make.h"
#include "findings/rule.h"
#include "findings/rules/shared/nobodys.h"
#include "findings/stories.h"
#include "findings/weigh.h"
#include "parallel/loops.h"

#include <algorithm>
#include <utility>

namespace kymo::findings {
namespace {

constexpr std::uint64_t kShuffleSeed = 0xc0de;
constexpr std::size_t kControlPermutations = 499;
constexpr double kDisturbance = 20;
constexpr double kMostDropped = 0.05;  // of the samples' call paths

// A claim that depends on a feature is dropped if chance explains the feature.
bool is_chance(const Case& subject, const Claim& claim, double significance) {
    if (claim.feature.empty() || !subject.tested) {
        return false;
    }
    const Feature* feature = subject.feature(claim.feature);
    return feature == nullptr || feature->q > significance;
}

// Others that take processors from the program change how long its code takes, too. Comparisons of times that were
// not tested, and explain less than a twentieth of that time, may be their doing. Counts are not: they are kept.
void drop_disturbed(const std::vector<Case>& cases, std::vector<Weighed>* defects) {
    double disturbed = 0;
    for (const Weighed& weighed : *defects) {
        disturbed = weighed.rule->is_others_doing ? std::max(disturbed, weighed.finding.share) : disturbed;
    }
    std::erase_if(*defects, [&](const Weighed& weighed) {
        const Contrast contrast = cases[weighed.subject].contrast;
        return contrast != Contrast::kRun && contrast != Contrast::kSpace && !weighed.finding.tested &&
               weighed.finding.share * kDisturbance < disturbed;
    });
}

// The frames cut off from many call paths may belong to any place. Claims about the run as a whole are kept.
bool is_withheld(const spacetime::Evidence& evidence, const Case& subject) {
    return evidence.run.dropped_paths > kMostDropped && subject.contrast != Contrast::kRun;
}

Judgement judge_cases(const spacetime::Evidence& evidence, const std::vector<Case>& cases,
                      const JudgeOptions& options, bool is_control) {
    std::vector<Weighed> defects;
    std::vector<Weighed> advantages;
    for (const Rule* rule : rules()) {
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const Contrast contrast = cases[i].contrast;
            if ((contrast != rule->contrast && contrast != rule->of_code) || is_withheld(evidence, cases[i])) {
                continue;
            }
            std::vector<Claim> claims;
            rule->look(cases[i], &claims);
            for (Claim& claim : claims) {
                // A sum over a space is the same whatever the labels: chance has no part in it.
                if (is_chance(cases[i], claim, options.significance) ||
                    (is_control && rule->contrast == Contrast::kSpace &&
                     (claim.feature.empty() || !cases[i].tested))) {
                    continue;
                }
                Weighed weighed = weigh(cases[i], *rule, std::move(claim));
                weighed.subject = i;
                if ((weighed.finding.share_low >= options.least_share || !weighed.finding.is_cost_known) &&
                    !is_nobodys(evidence, weighed.finding)) {
                    (rule->is_advantage ? advantages : defects).push_back(std::move(weighed));
                }
            }
        }
    }
    drop_disturbed(cases, &defects);
    Judgement judgement;
    judgement.findings = join_stories(evidence, std::move(defects));
    judgement.advantages = join_stories(evidence, std::move(advantages));
    return judgement;
}

}  // namespace

Judgement judge(const spacetime::Evidence& evidence, const JudgeOptions& options) {
    const Grounds grounds(evidence);
    Judgement judgement;
    std::vector<std::size_t> comparisons(options.rounds);
    std::vector<std::size_t> findings(options.rounds);
    // Each round has random numbers of its own, so that rounds may be done in any order.
    const auto control = [&] {
        parallel::for_each_index(options.rounds, [&](std::size_t round) {
            Random random(kShuffleSeed + round);
            const std::vector<Case> cases =
                make_cases(grounds, {.shuffle = &random, .permutations = kControlPermutations});
            comparisons[round] = cases.size();
            findings[round] = judge_cases(evidence, cases, options, true).findings.size();
        });
    };
    parallel::together(control, [&] {
        const std::vector<Case> cases = make_cases(grounds);
        judgement = judge_cases(evidence, cases, options, false);
        for (const Case& subject : cases) {
            judgement.control.features += subject.tested ? subject.features.size() : 0;
        }
    });
    for (std::size_t round = 0; round < options.rounds; ++round) {
        judgement.control.comparisons = comparisons[round];
        judgement.control.findings += static_cast<double>(findings[round]);
    }
    judgement.control.rounds = options.rounds;
    judgement.control.findings /= static_cast<double>(std::max<std::size_t>(1, options.rounds));
    return judgement;
}

}  // namespace kymo::findings
