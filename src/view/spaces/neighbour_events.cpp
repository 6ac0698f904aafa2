#include "view/spaces/neighbour_events.h"

#include "view/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace kymo::view {

using namespace spacetime;

namespace {

constexpr std::int64_t kFewestTelling = 10;
constexpr double kTellingRatio = 1.5;

bool is_whole_pattern(const CodePattern& pattern) {
    return pattern.before != kAnyNeighbour && pattern.after != kAnyNeighbour;
}

double each(std::int64_t sum, std::uint64_t times) {
    return times == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(times);
}

// Of two that happen nowhere else the more frequent one is clearer.
double clearness(const NeighbourEvent& event) {
    return event.here / std::max(event.elsewhere, 1e-3);
}

}  // namespace

std::vector<NeighbourEvent> neighbour_events(std::span<const CodePattern> patterns, const CodePattern& pattern,
                                             const std::vector<CounterIndex>& events) {
    std::uint64_t others = 0;
    std::vector<std::int64_t> sums(pattern.deltas.size());
    for (const CodePattern& other : patterns) {
        if (other.node != pattern.node || &other == &pattern || !is_whole_pattern(other)) {
            continue;
        }
        others += other.durations.count;
        for (std::size_t i = 0; i < sums.size() && i < other.deltas.size(); ++i) {
            sums[i] += other.deltas[i];
        }
    }
    std::vector<NeighbourEvent> list;
    if (others == 0) {
        return list;
    }
    for (const CounterIndex event : events) {
        if (raw(event) < sums.size() && (event.in(pattern.deltas) > 0 || event.in(sums) > 0)) {
            list.push_back({.event = event,
                            .all = event.in(pattern.deltas),
                            .here = each(event.in(pattern.deltas), pattern.durations.count),
                            .elsewhere = each(event.in(sums), others)});
        }
    }
    return list;
}

std::optional<NeighbourEvent> telling_event(const std::vector<NeighbourEvent>& events) {
    std::optional<NeighbourEvent> best;
    for (const NeighbourEvent& event : events) {
        if (event.all >= kFewestTelling && event.here >= kTellingRatio * event.elsewhere &&
            (!best || clearness(event) > clearness(*best))) {
            best = event;
        }
    }
    return best;
}

std::string neighbour_event_words(const Evidence& evidence, const NeighbourEvent& event) {
    return fmt::format("{} {} in each (else {})", event.event.in(evidence.run.counters), mean_words(event.here),
                       mean_words(event.elsewhere));
}

std::string mean_words(double mean) {
    return mean == 0 ? "0" : mean >= 999.5 ? count(std::llround(mean)) : fmt::format("{:.3g}", mean);
}

}  // namespace kymo::view
