#include "pairs/design/exact.h"

#include "pairs/design/binomial.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kymo::pairs {
namespace {

// Ends at event min(T1, the T2-th match). E[N; N ≤ T1] = (T2/p)·P[Bin(T1+1, p) ≥ T2+1] for N negative binomial.
TestOutcome pair_test(const Rule& rule, const Epoch& epoch, double p) {
    const double all = static_cast<double>(epoch.start) / rule.unit;
    const double matching = epoch.bound;
    if (p <= 0) {
        return {0, all, 0};
    }
    const double detect = at_least(all, p, matching);
    const double until_found = matching / p * at_least(all + 1, p, matching + 1);
    return {detect, all * (1 - detect) + until_found, detect > 0 ? until_found / detect : 0};
}

// One score's distribution just after a match, by the whole events it is above its offset; all scores of one round
// have the same offset, because a round is as many matches and a miss takes off one event.
TestOutcome sequential_test(const Rule& rule, const Epoch& epoch, double p) {
    const double unit = rule.unit;
    if (p <= 0) {
        return {0, std::ceil(epoch.start / unit), 0};
    }
    const double q = 1 - p;
    std::uint64_t offset = (epoch.start - 1) % rule.unit + 1;  // 1 to unit
    std::vector<double> score((epoch.start - offset) / rule.unit + 1, 0.0);
    std::vector<double> later;
    // Beside the mass, the events that paths to each state have taken: a mean a state.
    std::vector<double> taken(score.size(), 0.0);
    std::vector<double> later_taken;
    score.back() = 1;
    TestOutcome test;
    double matches = 0;
    double alive = 1;
    for (int round = 0; round < 1'000'000 && alive > 1e-12; ++round) {
        const std::uint64_t moved = offset + rule.gain - rule.unit;
        const std::uint64_t next_offset = (moved - 1) % rule.unit + 1;
        const std::uint64_t shift = (moved - next_offset) / rule.unit;  // whole events further up
        later.assign(score.size() + shift, 0.0);
        later_taken.assign(later.size(), 0.0);
        alive = 0;
        double mass = 0;  // of scores that have come down to j by misses
        double time = 0;  // the same, times the events taken
        for (std::size_t j = score.size(); j-- > 0;) {
            time = q * (time + mass) + taken[j];
            mass = q * mass + score[j];
            const double matched = p * mass;
            const double matched_time = p * (time + mass);
            matches += matched;
            if (next_offset + (j + shift) * rule.unit >= epoch.bound) {
                test.detect += matched;
                test.events_detected += matched_time;
            } else {
                later[j + shift] = matched;
                later_taken[j + shift] = matched_time;
                alive += matched;
            }
        }
        while (later.size() > 1 && later.back() == 0) {
            later.pop_back();
        }
        later_taken.resize(later.size());
        score.swap(later);
        taken.swap(later_taken);
        offset = next_offset;
    }
    test.events = matches / p;  // Wald's identity: every event matches with probability p
    test.events_detected = test.detect > 0 ? test.events_detected / test.detect : 0;
    return test;
}

}  // namespace

TestOutcome test_of(const Rule& rule, std::uint32_t epoch, double p) {
    const Epoch& thresholds = rule.epoch[std::min(epoch, rule.epochs - 1)];
    return rule.form == Form::kPair ? pair_test(rule, thresholds, p) : sequential_test(rule, thresholds, p);
}

double cycle_events(const Rule& rule, const TestOutcome& test) {
    const double gap = rule.gap > 1 ? (rule.gap - 1) / 2.0 : 0;
    return 1 + gap + test.events;
}

double events_to_report(const Rule& rule, std::uint32_t epoch, double p, std::span<const Background> others) {
    const TestOutcome own = test_of(rule, epoch, p);
    const double hit = p * own.detect;
    if (hit <= 0) {
        return INFINITY;
    }
    const double missed = own.detect < 1 ? (own.events - own.detect * own.events_detected) / (1 - own.detect) : 0;
    double failing = p * (1 - own.detect) * cycle_events(rule, {0, missed, 0});
    for (const Background& other : others) {
        failing += other.share * cycle_events(rule, test_of(rule, epoch, other.source));
    }
    const double rest = cycle_events(rule, {0, 0, 0});  // before the first capture
    const double k = rule.cells;
    if (hit >= 1) {
        return rule.period * (rest + own.events_detected);
    }
    const double missed_cycle = failing / (1 - hit);
    const double none_hit = std::pow(1 - hit, k);
    // Missed tests of the pair all last T1, so its cells stay in step and capture in waves of k; the sequential
    // test's lengths differ, and its cells capture one after the other.
    const double waited =
        rule.form == Form::kPair ? missed_cycle * none_hit / (1 - none_hit) : missed_cycle / k * none_hit / hit;
    return rule.period * (rest + waited + own.events_detected);
}

Promise promise(const Rule& rule, double share, double refuse) {
    constexpr std::uint32_t kUsualEpoch = 6;  // what a run of some hundred captures ends with
    const Background rare[] = {{1 - share, 0}};
    const Background many[] = {{1 - share, refuse}};
    return {1 - test_of(rule, kUsualEpoch, share).detect, test_of(rule, 0, refuse).detect,
            events_to_report(rule, kUsualEpoch, share, rare), events_to_report(rule, kUsualEpoch, share, many)};
}

}  // namespace kymo::pairs
