#include "findings/weigh.h"

#include "findings/cases/sides.h"
#include "findings/expected_gain.h"
#include "findings/statistics/bootstrap.h"
#include "findings/words.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <utility>

namespace kymo::findings {
namespace {

constexpr std::uint64_t kBoundSeed = 0xb007;
constexpr double kSplitConfidence = 0.99;  // 1 − the rate at which the split of slow and fast may alarm falsely
constexpr double kNoteworthyRatio = 2;     // features that were not tested are reported from here on
constexpr double kLeastCount = 10;         // and counts with at least this many in an occurrence
constexpr double kLeastRatio = 1.05;       // of those that were
constexpr std::size_t kMostFeatures = 4;
constexpr double kLeastPart = 0.05;  // parts of the excess are reported from here on

struct Stake {
    double ns = 0;       // over all threads
    double most_ns = 0;  // of the thread that lost most
    double sure = 0;     // part that is sure
};

Stake stake_of(const std::map<std::uint32_t, double>& by_thread, double sure) {
    Stake stake;
    for (const auto& [thread, ns] : by_thread) {
        stake.ns += ns;
        stake.most_ns = std::max(stake.most_ns, ns);
    }
    stake.sure = std::clamp(sure, 0.0, 1.0);
    return stake;
}

// Of one occurrence's or gap's length, ns.
double error_of_one(const Case& subject) {
    if (subject.contrast == Contrast::kGaps || subject.contrast == Contrast::kCodeGaps) {
        return sampling_period(*subject.evidence);
    }
    const auto samples = static_cast<double>(std::max<std::uint64_t>(1, subject.space().median_samples));
    return static_cast<double>(subject.excess.usual.wall()) / samples;
}

Stake explained_stake(const Case& subject, const Explains& explains) {
    const std::vector<double> parts = explained(subject.rows(), subject.excess, explains);
    std::map<std::uint32_t, double> by_thread;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        by_thread[subject.rows().thread[subject.excess.rows[i]]] += parts[i];
    }
    const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
    // Each occurrence is compared with the usual one, so that fluctuations upwards count and those downwards do not:
    // the sum is at most the difference of the sides.
    const double total = std::max(0.0, static_cast<double>(subject.excess.total()));
    double low = sum_lower_bound(parts, Random(kBoundSeed));
    if (parts.size() < 3) {
        low -= static_cast<double>(parts.size()) * error_of_one(subject);
    }
    const double cut = sum > 0 ? std::min(1.0, total / sum) : 0;
    for (auto& [thread, ns] : by_thread) {
        ns *= cut;
    }
    return stake_of(by_thread, sum > 0 ? low / sum : 0);
}

Stake own_stake(const Claim& claim) {
    std::map<std::uint32_t, double> by_thread;
    for (const ThreadTime& time : claim.own) {
        by_thread[time.thread] += std::max(0.0, time.ns);
    }
    double sure = claim.own_sure;
    const double parts = std::accumulate(claim.own_parts.begin(), claim.own_parts.end(), 0.0);
    if (parts > 0) {
        sure *= sum_lower_bound(claim.own_parts, Random(kBoundSeed)) / parts;
    }
    Stake stake = stake_of(by_thread, sure);
    stake.most_ns = claim.shorter_ns > 0 ? claim.shorter_ns : stake.most_ns;
    return stake;
}

// For others of the program. What other waits are worth, the account only bounds from below: where others work
// meanwhile, it is not known whether the thread would have had work as well.
bool is_for_others(const spacetime::AccountRow& row) {
    using spacetime::TimeClass;
    return row.time_class >= TimeClass::kLockWait && row.time_class <= TimeClass::kChildWait;
}

// The part of a wait at this target's place that the run could be shorter by, by the account; 1: not known.
double worth_of_wait(const spacetime::Evidence& evidence, std::uint32_t target) {
    const program::SourcePlace& place = evidence.wait_targets[target].place;
    double ns = 0;
    double shorter_ns = 0;
    for (const spacetime::AccountRow& row : evidence.account.rows) {
        if (is_for_others(row) && row.place.function == place.function && row.place.module == place.module) {
            ns += static_cast<double>(row.ns);
            shorter_ns += static_cast<double>(row.shorter_ns);
        }
    }
    return ns > 0 ? std::min(1.0, shorter_ns / ns) : 1;
}

// What the run could be shorter by without the excess: waits whose time others use do not count whole. ns.
double worth_of_excess(const Case& subject, TermSet terms) {
    double ns = 0;
    for (const ExcessPart& part : subject.excess.parts) {
        if (has(terms, part.term)) {
            const bool is_target = part.term == Term::kWaiting && part.target < subject.evidence->wait_targets.size();
            ns += static_cast<double>(part.ns) * (is_target ? worth_of_wait(*subject.evidence, part.target) : 1);
        }
    }
    return std::max(0.0, ns);
}

double ratio(double bad, double good) {
    return good != 0 ? bad / good : kUnknown;
}

void add_account(const Case& subject, std::vector<EvidenceRow>* rows) {
    const auto count = static_cast<double>(std::max<std::size_t>(1, subject.bad.count));
    const auto row = [&](Quantity quantity, std::string event, std::int64_t usual, std::int64_t excess) {
        const double good = static_cast<double>(usual) / 1e9;
        const double bad = good + static_cast<double>(excess) / count / 1e9;
        rows->push_back(
            {.event = std::move(event), .bad = bad, .good = good, .ratio = ratio(bad, good), .quantity = quantity});
    };
    row(Quantity::kSeconds, "", subject.excess.usual.wall(), subject.excess.total());
    for (const TermInfo& info : kTerms) {
        const std::int64_t excess = subject.excess.terms.*info.member;
        if (static_cast<double>(excess) >= kLeastPart * static_cast<double>(subject.excess.total())) {
            row(Quantity::kSecondsOf, std::string(info.words), subject.excess.usual.*info.member, excess);
        }
    }
}

void add_features(const Case& subject, std::vector<EvidenceRow>* rows) {
    std::size_t added = 0;
    for (const Feature& feature : subject.features) {
        const double by = ratio(feature.bad, feature.good);
        const bool is_count = counter(*subject.evidence, feature.name) != kNone;
        const bool is_few = is_count && std::max(feature.bad, feature.good) < kLeastCount;
        const bool is_clear = subject.tested ? feature.q <= 0.05 && !(by < kLeastRatio && by * kLeastRatio > 1)
                                             : !is_few && (by >= kNoteworthyRatio || by * kNoteworthyRatio <= 1);
        const bool is_told = std::any_of(rows->begin(), rows->end(), [&](const EvidenceRow& row) {
            return row.event.starts_with(feature.name) && row.bad == feature.bad;
        });
        const bool is_share = feature.name.rfind("share of ", 0) == 0;  // the account has it
        if (is_clear && !is_share && !is_told && feature.name != "duration" && added < kMostFeatures) {
            rows->push_back(
                {feature.name, feature.bad, feature.good, by, feature.effect, subject.tested ? feature.q : kUnknown});
            ++added;
        }
    }
}

TermSet dominant_terms(const Case& subject, const Claim& claim) {
    if (!claim.explains) {
        return claim.own_terms;
    }
    TermSet terms = 0;
    for (const TermInfo& info : kTerms) {
        const auto part = static_cast<double>(subject.excess.terms.*info.member);
        if (has(claim.explains->terms, info.term) && part * 5 >= static_cast<double>(subject.excess.total())) {
            terms |= set_of(info.term);
        }
    }
    return terms;
}

}  // namespace

Weighed weigh(const Case& subject, const Rule& rule, Claim claim) {
    Weighed weighed;
    weighed.rule = &rule;
    weighed.terms = dominant_terms(subject, claim);
    weighed.targets = std::move(claim.targets);
    weighed.is_part = claim.is_part;
    Stake stake = claim.explains ? explained_stake(subject, *claim.explains) : own_stake(claim);
    // Only of what reports time without a cause: a cause's own stake is what its rule says.
    if (claim.explains && rule.is_generic) {
        stake.most_ns = std::min(stake.most_ns, worth_of_excess(subject, claim.explains->terms));
    }

    Finding& finding = weighed.finding;
    finding.kind = rule.kind;
    finding.title = std::move(claim.title);
    if (!finding.title.empty()) {  // names of loops begin in small letters
        finding.title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(finding.title[0])));
    }
    finding.node = claim.node != kNone ? claim.node : subject.node;
    if (claim.place) {
        finding.place = *claim.place;
    } else if (subject.same != kNone) {
        const spacetime::Evidence& evidence = *subject.evidence;
        finding.place = evidence.spaces[evidence.same_spaces[subject.same].members.front()].place;
        weighed.is_part = true;
    } else if (finding.node != kNone) {
        finding.place = finding.node.in(subject.evidence->nodes).place;
    }
    finding.when = claim.when.empty() ? subject.bad_times() : std::move(claim.when);
    finding.threads = std::move(claim.threads);
    if (finding.threads.empty()) {
        finding.threads = subject.threads;
    }
    std::sort(finding.threads.begin(), finding.threads.end());
    const auto wall = static_cast<double>(subject.evidence->run.end - subject.evidence->run.begin);
    finding.seconds = stake.ns / 1e9;
    finding.share = wall > 0 ? std::min(1.0, stake.most_ns / wall) : 0;
    finding.share_low = finding.share * stake.sure;
    finding.is_cost_known = claim.is_cost_known;
    if (claim.is_cost_known && !rule.is_advantage) {
        const ExpectedGain gain = expected_gain(finding.share, weighed.terms, rule.least_gain);
        finding.gain_low = gain.low;
        finding.gain_high = gain.high;
    }

    finding.evidence = std::move(claim.evidence);
    if (claim.explains) {
        add_account(subject, &finding.evidence);
    }
    add_features(subject, &finding.evidence);
    const Feature* feature = claim.feature.empty() ? nullptr : subject.feature(claim.feature);
    finding.tested = subject.tested && (feature != nullptr || subject.contrast == Contrast::kOccurrences ||
                                        subject.contrast == Contrast::kCodeOccurrences);
    if (feature != nullptr && subject.tested) {
        finding.confidence = 1 - feature->q;
    } else {
        finding.confidence = finding.tested ? kSplitConfidence : stake.sure;
    }
    const bool has_labels = subject.same != kNone || rule.contrast == Contrast::kOccurrences ||
                            rule.contrast == Contrast::kRich || rule.contrast == Contrast::kNeighbours ||
                            rule.contrast == Contrast::kGaps || rule.contrast == Contrast::kReturns;
    finding.is_compared = has_labels || feature != nullptr;
    finding.direction = claim.direction.empty() ? std::string(rule.direction) : std::move(claim.direction);
    finding.confirm = claim.confirm.empty() ? std::string(rule.confirm) : std::move(claim.confirm);
    return weighed;
}

}  // namespace kymo::findings
