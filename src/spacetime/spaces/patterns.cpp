#include "spacetime/spaces/patterns.h"

namespace kymo::spacetime {
namespace {

void merge_into(PatternSums* to, const PatternSums& from) {
    to->durations.merge(from.durations);
    to->samples += from.samples;
    to->sums.resize(from.sums.size(), 0);
    for (std::size_t i = 0; i < from.sums.size(); ++i) {
        to->sums[i] += from.sums[i];
    }
}

}  // namespace

void Patterns::add(const Stretches& occurrences) {
    for (std::size_t row = 0; row < occurrences.size(); ++row) {
        if (occurrences.node[row] == kNone) {
            continue;
        }
        const PatternKey key = {row > 0 ? occurrences.node[row - 1] : kNone, occurrences.node[row],
                                row + 1 < occurrences.size() ? occurrences.node[row + 1] : kNone};
        PatternSums& into = triples_[key];
        into.durations.add(occurrences.duration(row));
        into.samples += occurrences.samples[row];
        into.sums.resize(occurrences.counters, 0);
        for (std::size_t i = 0; i < occurrences.counters; ++i) {
            into.sums[i] += occurrences.sums_of(row)[i];
        }
    }
}

void Patterns::merge(const Patterns& other) {
    for (const auto& [key, sums] : other.triples_) {
        merge_into(&triples_[key], sums);
    }
}

std::map<PatternKey, PatternSums> Patterns::by_before() const {
    std::map<PatternKey, PatternSums> result;
    for (const auto& [key, sums] : triples_) {
        merge_into(&result[{key.before, key.node, kNone}], sums);
    }
    return result;
}

std::map<PatternKey, PatternSums> Patterns::by_after() const {
    std::map<PatternKey, PatternSums> result;
    for (const auto& [key, sums] : triples_) {
        merge_into(&result[{kNone, key.node, key.after}], sums);
    }
    return result;
}

}  // namespace kymo::spacetime
