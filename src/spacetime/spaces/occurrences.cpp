#include "spacetime/spaces/occurrences.h"

#include <algorithm>
#include <bit>

namespace kymo::spacetime {
namespace {

void push(Stretches* to, const Stretches& from, std::size_t row) {
    to->node.push_back(from.node[row]);
    to->begin.push_back(from.begin[row]);
    to->end.push_back(from.end[row]);
    to->samples.push_back(from.samples[row]);
    to->bridged.push_back(from.bridged[row]);
    const auto sums = from.sums_of(row);
    to->sums.insert(to->sums.end(), sums.begin(), sums.end());
}

// Joins a row of `from` to the last of `to`.
void join(Stretches* to, const Stretches& from, std::size_t row) {
    to->end.back() = from.end[row];
    to->samples.back() += from.samples[row];
    to->bridged.back() += from.bridged[row];
    std::int64_t* const sums = to->sums.data() + (to->size() - 1) * to->counters;
    for (std::size_t i = 0; i < to->counters; ++i) {
        sums[i] += from.sums_of(row)[i];
    }
}

}  // namespace

void add_sample(Stretches* runs, const StreamSample& sample) {
    if (runs->size() > 0 && runs->node.back() == sample.node) {
        runs->end.back() = sample.time;
        ++runs->samples.back();
        std::int64_t* const sums = runs->sums.data() + (runs->size() - 1) * runs->counters;
        for (std::size_t i = 0; i < runs->counters; ++i) {
            sums[i] += sample.deltas[i];
        }
        return;
    }
    runs->node.push_back(sample.node);
    runs->begin.push_back(sample.begin);
    runs->end.push_back(sample.time);
    runs->samples.push_back(1);
    runs->bridged.push_back(0);
    runs->sums.insert(runs->sums.end(), sample.deltas.begin(), sample.deltas.end());
}

void append(Stretches* runs, const Stretches& later) {
    for (std::size_t row = 0; row < later.size(); ++row) {
        if (row == 0 && runs->size() > 0 && runs->node.back() == later.node[0]) {
            join(runs, later, 0);
        } else {
            push(runs, later, row);
        }
    }
}

Stretches occurrences(const Stretches& runs, const BridgeRule& rule) {
    Stretches result(runs.counters);
    for (std::size_t row = 0; row < runs.size(); ++row) {
        // Interruptions are judged by the runs beside them, so the order of bridging does not matter.
        const bool bridges = result.size() > 0 && result.node.back() != kNone && row > 0 && row + 1 < runs.size() &&
                             result.node.back() == runs.node[row + 1] && runs.node[row - 1] == runs.node[row + 1] &&
                             runs.samples[row] <= rule.samples && runs.samples[row - 1] >= rule.sides &&
                             runs.samples[row + 1] >= rule.sides;
        if (bridges) {
            join(&result, runs, row);
            result.bridged.back() += runs.samples[row];
            ++row;
            join(&result, runs, row);
        } else {
            push(&result, runs, row);
        }
    }
    return result;
}

std::vector<Gap> gaps(const Stretches& occurrences, std::uint32_t node) {
    std::vector<Gap> result;
    std::size_t last = occurrences.size();
    for (std::size_t row = 0; row < occurrences.size(); ++row) {
        if (occurrences.node[row] != node) {
            continue;
        }
        if (last != occurrences.size()) {
            result.push_back({last, row, occurrences.end[last], occurrences.begin[row]});
        }
        last = row;
    }
    return result;
}

void DurationSums::add(std::uint64_t ns) {
    ++count;
    total += ns;
    shortest = std::min(shortest, ns);
    longest = std::max(longest, ns);
    ++by_octave[ns == 0 ? 0 : static_cast<std::size_t>(std::bit_width(ns)) - 1];
}

void DurationSums::merge(const DurationSums& other) {
    count += other.count;
    total += other.total;
    shortest = std::min(shortest, other.shortest);
    longest = std::max(longest, other.longest);
    for (std::size_t i = 0; i < by_octave.size(); ++i) {
        by_octave[i] += other.by_octave[i];
    }
}

}  // namespace kymo::spacetime
