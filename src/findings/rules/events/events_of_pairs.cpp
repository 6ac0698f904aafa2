// more-events, of code spaces: addresses between which some event concentrates, on any call paths and pieces of code,
// against the rest of the program. The counts are exact sums over pairs of samples.
//
// Other rules compare functions and loops by the kernel's work for them (faults, switches, migrations): between
// two samples of the clock it may have happened at any place.
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/costly_events.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

using spacetime::EventClass;
using spacetime::SameSpaces;

constexpr double kLeastInSpace = 1000;  // events

CounterIndex clock_of(const spacetime::Evidence& evidence) {
    const CounterIndex clock = counter(evidence, "task-clock");
    return clock != kNone ? clock : counter(evidence, "cpu-clock");
}

// How often an event happens in a group of same spaces and in the rest of the program, in a second of the clock.
struct Rates {
    double here = 0;
    double rest = 0;
};
Rates rates_of(const spacetime::Evidence& evidence, const SameSpaces& group, CounterIndex event, CounterIndex clock) {
    const auto a_second = [](std::int64_t count, std::int64_t ns) {
        return ns > 0 ? static_cast<double>(count) * 1e9 / static_cast<double>(ns) : 0;
    };
    const std::int64_t count = event.in(group.deltas);
    const std::int64_t ns = clock.in(group.deltas);
    return {a_second(count, ns), a_second(event.in(evidence.run.deltas) - count, clock.in(evidence.run.deltas) - ns)};
}

struct Crowd {
    CounterIndex event;
    Rates rates;
    double ns = 0;  // the most that they cost beyond the rest's rate
};

Crowd dearest_crowd(const spacetime::Evidence& evidence, const SameSpaces& group, CounterIndex clock) {
    Crowd dearest;
    for (std::size_t i = 0; i < evidence.run.counters.size(); ++i) {
        const CounterIndex event(i);
        const EventClass& known = spacetime::event_class(evidence.run.counters[i]);
        if (known.meaning != spacetime::EventMeaning::kCost || known.most_ns == 0 ||
            known.most_ns > kMostOnProcessorNs || static_cast<double>(event.in(group.deltas)) < kLeastInSpace) {
            continue;
        }
        const Rates rates = rates_of(evidence, group, event, clock);
        const double ns =
            (rates.here - rates.rest) * static_cast<double>(clock.in(group.deltas)) / 1e9 * known.most_ns;
        if (rates.here >= kMoreThere * rates.rest && ns > dearest.ns) {
            dearest = {event, rates, ns};
        }
    }
    return dearest;
}

void claim_events_of_pairs(const Case& subject, std::vector<Claim>* claims) {
    const spacetime::Evidence& evidence = *subject.evidence;
    const CounterIndex clock = clock_of(evidence);
    if (clock == kNone) {
        return;
    }
    for (const SameSpaces& group : evidence.same_spaces) {
        const auto here = static_cast<double>(clock.in(group.deltas));
        const auto all = static_cast<double>(clock.in(evidence.run.deltas));
        const Crowd crowd = dearest_crowd(evidence, group, clock);
        if (crowd.event == kNone || group.is_part || here > (1 - kLeastRest) * all) {
            continue;
        }
        const spacetime::Place& place = evidence.spaces[group.members.front()].place;
        const std::string& event = crowd.event.in(evidence.run.counters);
        const EventClass& known = spacetime::event_class(event);
        std::int64_t worked = 0;
        for (const spacetime::ThreadWork& part : group.life.work) {
            worked += part.ns.user;
        }
        Claim claim;
        const double cost = std::min(crowd.ns, here);
        for (const spacetime::ThreadWork& part : group.life.work) {
            claim.own.push_back({part.thread, cost * static_cast<double>(part.ns.user) /
                                                  static_cast<double>(std::max<std::int64_t>(1, worked))});
        }
        claim.own_terms = set_of(Term::kUser);
        claim.own_sure = kSureOfCost;
        claim.node = group.node;
        claim.place = place;
        claim.is_part = true;
        claim.threads = group.life.threads;
        claim.title = fmt::format("{} has {}: they cost it up to {}.{}", name(place),
                                  against_rest_words(event, crowd.rates.here, crowd.rates.rest), in_seconds(cost),
                                  cause_words(known));
        claim.evidence.push_back({event + " a second", crowd.rates.here, crowd.rates.rest,
                                  crowd.rates.rest > 0 ? crowd.rates.here / crowd.rates.rest : kUnknown, kUnknown,
                                  kUnknown});
        say_what_to_do(known, event, &claim);
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kMoreEventsOfPairs{
    .place = 249,
    .kind = "more-events",
    .contrast = Contrast::kRun,
    .needs =
        "in the pairs of samples of a heavy group of same code spaces there are a thousand of an event and more, "
        "three "
        "times as many by the clock as in the rest of the program; and what one costs is known, at most a "
        "microsecond",
    .against =
        "the group never holds half of a pair of samples; or the rest of the program has less than a twentieth of "
        "the "
        "time",
    .look = claim_events_of_pairs,
    .direction = kEventDirection,
    .confirm = kEventConfirm,
    .is_generic = true,  // their place, not their cause
};

}  // namespace kymo::findings
