#include "findings/cases/sides.h"

#include "findings/statistics/robust.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kymo::findings {

using spacetime::OccurrenceTable;

Side side_of(const OccurrenceTable& occurrences, std::span<const std::size_t> rows) {
    Side side;
    side.count = rows.size();
    side.deltas.assign(occurrences.counters, 0);
    std::vector<double> times;
    for (const std::size_t row : rows) {
        times.push_back(static_cast<double>(own_ns(occurrences.terms[row])));
        side.terms += occurrences.terms[row];
        const auto deltas = occurrences.deltas_of(row);
        for (std::size_t c = 0; c < deltas.size(); ++c) {
            side.deltas[c] += deltas[c];
        }
    }
    side.median_ns = median(std::move(times));
    return side;
}

void fill_sides(std::span<const char> label, Case* subject) {
    const OccurrenceTable& occurrences = subject->rows();
    for (std::size_t row = 0; row < label.size(); ++row) {
        (label[row] != 0 ? subject->bad_rows : subject->good_rows).push_back(row);
    }
    subject->bad = side_of(occurrences, subject->bad_rows);
    subject->good = side_of(occurrences, subject->good_rows);
    subject->excess = account(occurrences, subject->bad_rows, subject->good_rows);
    for (const std::size_t row : subject->bad_rows) {
        subject->threads.push_back(occurrences.thread[row]);
    }
    std::sort(subject->threads.begin(), subject->threads.end());
    subject->threads.erase(std::unique(subject->threads.begin(), subject->threads.end()), subject->threads.end());
}

std::optional<std::size_t> row_at(const OccurrenceTable& occurrences, std::uint32_t thread, std::uint64_t time) {
    std::size_t begin = 0;
    std::size_t end = occurrences.size();
    while (begin < end) {
        const std::size_t middle = begin + (end - begin) / 2;
        const bool is_later =
            std::pair(occurrences.thread[middle], occurrences.begin[middle]) > std::pair(thread, time);
        (is_later ? end : begin) = is_later ? middle : middle + 1;
    }
    return begin != 0 && occurrences.thread[begin - 1] == thread ? std::optional(begin - 1) : std::nullopt;
}

std::vector<OccurrenceRef> occurrences_of(const OccurrenceTable& table) {
    std::vector<OccurrenceRef> occurrences;
    occurrences.reserve(table.size());
    for (std::size_t row = 0; row < table.size(); ++row) {
        occurrences.push_back({&table, row});
    }
    return occurrences;
}

std::vector<double> durations(const OccurrenceTable& table) {
    std::vector<double> result;
    result.reserve(table.size());
    for (const spacetime::TimeTerms& terms : table.terms) {
        result.push_back(static_cast<double>(own_ns(terms)));
    }
    return result;
}

double sampling_period(const spacetime::Evidence& evidence) {
    double time = 0;
    double samples = 0;
    for (const spacetime::SpaceNode& node : evidence.nodes) {
        if (node.parent == kNone) {
            time += static_cast<double>(processor(node.total) + node.total.spinning);
            samples += static_cast<double>(node.samples);
        }
    }
    return samples > 0 ? time / samples : 0;
}

namespace {

constexpr double kSeen = 1.5;  // sampling periods: a stretch that lasts for one has a sample

const spacetime::SpaceIntervals* intervals_of(const spacetime::Evidence& evidence, NodeIndex node) {
    const auto found = std::find_if(evidence.intervals.begin(), evidence.intervals.end(),
                                    [&](const spacetime::SpaceIntervals& of) { return of.node == raw(node); });
    return found != evidence.intervals.end() ? &*found : nullptr;
}

// Waits that every thread that reaches them must take.
bool always_waits(recording::WaitKind kind) {
    using recording::WaitKind;
    return kind == WaitKind::kSleep || kind == WaitKind::kSync || kind == WaitKind::kChild;
}

// If the time between two occurrences is mostly waiting, it is known exactly; but a thread may reach the wait
// without having to wait (a queue that is not empty, the last one at a barrier): then only its other work there
// can be seen. If a thread waits for much longer than it works, that is rare.
bool are_waits_certain(const spacetime::Evidence& evidence, NodeIndex node,
                       const spacetime::SpaceIntervals& intervals) {
    constexpr double kMostlyIdle = 4;
    const OccurrenceTable& occurrences = node.in(evidence.nodes).rows;
    const std::vector<spacetime::OccurrenceWait>* waits =
        intervals.longest.empty() ? nullptr : &intervals.longest.front().waits;
    if (waits != nullptr && !waits->empty() && waits->front().target < evidence.wait_targets.size() &&
        always_waits(evidence.wait_targets[waits->front().target].kind)) {
        return true;
    }
    std::vector<double> beside;
    std::vector<double> waiting;
    for (const spacetime::TimeTerms& gap : occurrences.gap_terms) {
        if (gap.wall() > 0) {
            beside.push_back(static_cast<double>(processor(gap) + gap.spinning));
            waiting.push_back(static_cast<double>(gap.waiting));
        }
    }
    return median(waiting) >= kMostlyIdle * median(durations(occurrences)) ||
           median(beside) >= kSeen * sampling_period(evidence);
}

// The time between two occurrences is sometimes too short to be seen: if more than one in twenty of the times that
// it was seen have a single sample, there are others without one. (A sample that was bridged counts: it may be one
// of them.)
bool may_overlook_gaps(const spacetime::Evidence& evidence, NodeIndex node) {
    constexpr std::uint64_t kMostShort = 20;  // one in this many
    const OccurrenceTable& occurrences = node.in(evidence.nodes).rows;
    const spacetime::SpaceIntervals* intervals = intervals_of(evidence, node);
    if (intervals != nullptr && intervals->gap_terms.wall() > 0 &&
        2 * intervals->gap_terms.waiting >= intervals->gap_terms.wall()) {
        return !are_waits_certain(evidence, node, *intervals);
    }
    const double period = sampling_period(evidence);
    std::uint64_t gaps = 0;
    std::uint64_t single = 0;
    for (std::size_t row = 0; row < occurrences.size(); ++row) {
        gaps += occurrences.bridged[row];
        single += occurrences.bridged[row];
        const bool follows = row != 0 && occurrences.thread[row - 1] == occurrences.thread[row] &&
                             occurrences.order[row - 1] + 1 == occurrences.order[row];
        if (follows) {
            const double gap =
                static_cast<double>(occurrences.begin[row]) - static_cast<double>(occurrences.end[row - 1]);
            ++gaps;
            single += gap >= period / 2 && gap < kSeen * period ? 1 : 0;
        }
    }
    return single * kMostShort > gaps;
}

// Whatever each occurrence waits for longest is a wait that nothing spares it.
bool always_waits_in(const spacetime::Evidence& evidence, const spacetime::SpaceNode& node) {
    for (std::size_t row = 0; row < node.rows.size(); ++row) {
        const auto waits = node.rows.waits_of(row);
        if (waits.empty() || !always_waits(evidence.wait_targets[waits.front().target].kind)) {
            return false;
        }
    }
    return true;
}

// A round is one if a part of every round is seen each time, and the rest of the round, too.
bool may_merge_rounds(const spacetime::Evidence& evidence, NodeIndex node) {
    constexpr std::uint64_t kLeastSamples = 2;
    const NodeIndex loop = node.in(evidence.nodes).parent;
    for (const NodeIndex i : indices(evidence.nodes)) {
        const spacetime::SpaceNode& part = i.in(evidence.nodes);
        const bool is_part = part.parent == loop && part.kind != spacetime::SpaceKind::kIteration &&
                             part.kind != spacetime::SpaceKind::kMark;
        const bool is_seen = part.median_samples >= kLeastSamples ||
                             (2 * part.total.waiting >= part.total.wall() && always_waits_in(evidence, part));
        const bool is_in_each = part.occurrences * 10 >= node.in(evidence.nodes).occurrences * 9;
        if (is_part && is_seen && is_in_each && part.rows.size() > 1 && !may_overlook_gaps(evidence, i)) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool may_merge(const spacetime::Evidence& evidence, NodeIndex node) {
    const spacetime::SpaceNode& space = node.in(evidence.nodes);
    if (space.kind == spacetime::SpaceKind::kIteration) {
        return may_merge_rounds(evidence, node);
    }
    if (may_overlook_gaps(evidence, node)) {
        return true;
    }
    // Mostly waiting nodes are known without samples, and not folded; but not their other work.
    const bool has_few = space.total.mostly_waits() && space.median_samples < spacetime::EvidenceOptions{}.fold_below;
    if (!space.folded && !has_few) {
        return false;
    }
    constexpr std::uint64_t kLeastSamples = 2;
    const spacetime::SpaceIntervals* intervals = intervals_of(evidence, node);
    return space.median_samples < kLeastSamples || intervals == nullptr ||
           static_cast<double>(intervals->median_gap_ns) < kSeen * sampling_period(evidence);
}

bool is_by_thread(const OccurrenceTable& occurrences, std::span<const char> label, std::size_t labelled) {
    if (labelled * 2 > occurrences.size()) {  // if nearly all are, nearly all of a thread's are: test the others
        std::vector<char> others(label.begin(), label.end());
        for (char& each : others) {
            each = each != 0 ? 0 : 1;
        }
        return is_by_thread(occurrences, others, occurrences.size() - labelled);
    }
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> threads;  // occurrences, labelled ones
    for (std::size_t row = 0; row < occurrences.size(); ++row) {
        auto& [all, own] = threads[occurrences.thread[row]];
        ++all;
        own += label[row] != 0 ? 1 : 0;
    }
    std::size_t theirs = 0;
    // A single occurrence is not informative about its thread, unless other threads have several: then it may be
    // theirs in one.
    const bool has_several = occurrences.size() >= 2 * threads.size();
    for (const auto& [thread, counts] : threads) {
        const bool is_theirs = counts.second * 5 >= counts.first * 4;
        theirs += is_theirs && (counts.first >= 2 || has_several) ? counts.second : 0;
    }
    return theirs * 5 >= labelled * 4;
}

std::vector<char> swapped_labels(std::span<const std::uint32_t> stream, std::span<const char> label, Random* random) {
    std::vector<char> result(label.begin(), label.end());
    for (std::size_t i = 0; i + 1 < result.size(); ++i) {
        if (stream[i] == stream[i + 1] && result[i] != result[i + 1]) {
            if (random->below(2) != 0) {
                std::swap(result[i], result[i + 1]);
            }
            ++i;
        }
    }
    return result;
}

}  // namespace kymo::findings
