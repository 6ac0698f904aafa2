#include "spacetime/evidence/occurrences/occurrence_sums.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace kymo::spacetime {
namespace {

void add_row(SumRow& to, const SumRow& what) {
    to.resize(std::max(to.size(), what.size()));
    for (std::size_t i = 0; i < what.size(); ++i) {
        to[i] += what[i];
    }
}

}  // namespace

void SampleHistogram::add(std::uint64_t samples) {
    if (samples < small_.size()) {
        ++small_[samples];
    } else {
        ++octave_[static_cast<std::size_t>(std::bit_width(samples)) - 1];
    }
}

void SampleHistogram::merge(const SampleHistogram& other) {
    for (std::size_t i = 0; i < small_.size(); ++i) {
        small_[i] += other.small_[i];
        octave_[i] += other.octave_[i];
    }
}

std::uint64_t SampleHistogram::median() const {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < small_.size(); ++i) {
        all += small_[i] + octave_[i];
    }
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < small_.size(); ++i) {
        seen += small_[i];
        if (all != 0 && 2 * seen >= all) {
            return i;
        }
    }
    for (std::size_t i = 0; i < octave_.size(); ++i) {
        seen += octave_[i];
        if (all != 0 && 2 * seen >= all) {
            return std::uint64_t{1} << i;
        }
    }
    return 0;
}

void NodeSums::add_long(GapRecord gap) {
    const auto order = [](const GapRecord& a, const GapRecord& b) {
        return std::tuple(b.end - b.begin, a.begin, a.thread) < std::tuple(a.end - a.begin, b.begin, b.thread);
    };
    longest.insert(std::upper_bound(longest.begin(), longest.end(), gap, order), std::move(gap));
    if (longest.size() > kLongestGaps) {
        longest.pop_back();
    }
}

void OccurrenceSums::merge(OccurrenceSums&& other, std::size_t occurrence_cap) {
    nodes.resize(std::max(nodes.size(), other.nodes.size()));
    for (std::size_t i = 0; i < other.nodes.size(); ++i) {
        NodeSums& to = nodes[i];
        NodeSums& from = other.nodes[i];
        add_row(to.own, from.own);
        for (const auto& [target, ns] : from.own_waits) {
            to.own_waits[target] += ns;
        }
        for (const auto& [thread, ns] : from.own_work) {
            to.own_work[thread] += ns;
        }
        to.occurrences += from.occurrences;
        to.durations.merge(from.durations);
        to.samples.merge(from.samples);
        to.threads.insert(to.threads.end(), from.threads.begin(), from.threads.end());
        to.gaps.merge(from.gaps);
        add_row(to.gap_sums, from.gap_sums);
        for (GapRecord& gap : from.longest) {
            to.add_long(std::move(gap));
        }
        to.sample.merge(std::move(from.sample), occurrence_cap);
    }
    patterns.merge(other.patterns);
    sequences.merge(other.sequences);
}

}  // namespace kymo::spacetime
