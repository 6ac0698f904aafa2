#include "view/counted_occurrences.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace kymo::view {

using namespace spacetime;
using findings::Finding;

namespace {

using Times = std::set<std::pair<std::uint64_t, std::uint64_t>>;

struct Matches {
    CountedKind kind = CountedKind::kNone;
    std::vector<std::size_t> rows;
};

bool takes_part(const Finding& finding, std::uint32_t thread) {
    return finding.threads.empty() || std::binary_search(finding.threads.begin(), finding.threads.end(), thread);
}

// Is there a kept gap right before the row?
bool has_gap_before(const OccurrenceTable& rows, std::size_t row) {
    return row != 0 && row < rows.order.size() && rows.thread[row] == rows.thread[row - 1] &&
           rows.order[row] == rows.order[row - 1] + 1 && rows.begin[row] > rows.end[row - 1];
}

// Rows that satisfy the predicate, as occurrences and as the gaps before them: whichever are more.
template <typename Holds>
Matches matches(const OccurrenceTable& rows, const Finding& finding, Holds&& holds) {
    Matches occurrences{CountedKind::kOccurrences, {}};
    Matches gaps{CountedKind::kGaps, {}};
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (!takes_part(finding, rows.thread[row])) {
            continue;
        }
        if (holds(rows.begin[row], rows.end[row])) {
            occurrences.rows.push_back(row);
        }
        if (has_gap_before(rows, row) && holds(rows.end[row - 1], rows.begin[row])) {
            gaps.rows.push_back(row);
        }
    }
    return gaps.rows.size() > occurrences.rows.size() ? gaps : occurrences;
}

Matches same_times(const OccurrenceTable& rows, const Finding& finding, const Times& times) {
    return matches(rows, finding,
                   [&](std::uint64_t begin, std::uint64_t end) { return times.contains({begin, end}); });
}

Matches within_times(const OccurrenceTable& rows, const Finding& finding) {
    return matches(rows, finding, [&](std::uint64_t begin, std::uint64_t end) {
        return std::any_of(finding.when.begin(), finding.when.end(),
                           [&](const TimeRange& range) { return range.begin <= begin && end <= range.end; });
    });
}

// The thread of a time at which a recorded wait begins; kNone: no wait does.
std::uint32_t thread_of(const Evidence& evidence, std::uint64_t begin) {
    const auto found = std::find_if(evidence.timed_waits.begin(), evidence.timed_waits.end(),
                                    [&](const TimedWait& wait) { return wait.begin == begin; });
    return found != evidence.timed_waits.end() ? found->thread : kNone;
}

Matches around_times(const Evidence& evidence, const OccurrenceTable& rows, const Finding& finding) {
    std::set<std::size_t> found;
    for (const TimeRange& range : finding.when) {
        const std::uint32_t thread = thread_of(evidence, range.begin);
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const bool is_last = row + 1 == rows.size() || rows.thread[row + 1] != rows.thread[row];
            const std::uint64_t next = is_last ? ~std::uint64_t{0} : rows.begin[row + 1];
            if (takes_part(finding, rows.thread[row]) && (thread == kNone || rows.thread[row] == thread) &&
                rows.begin[row] <= range.begin && range.begin < next) {
                found.insert(row);
            }
        }
    }
    return {CountedKind::kAround, {found.begin(), found.end()}};
}

std::vector<std::size_t> other_rows(const OccurrenceTable& rows, const Finding& finding, const Matches& chosen) {
    std::vector<std::size_t> others;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (takes_part(finding, rows.thread[row]) &&
            (chosen.kind != CountedKind::kGaps || has_gap_before(rows, row)) &&
            !std::binary_search(chosen.rows.begin(), chosen.rows.end(), row)) {
            others.push_back(row);
        }
    }
    return others;
}

template <typename T>
T value_at(const std::vector<T>& column, std::size_t row, T otherwise = {}) {
    return row < column.size() ? column[row] : otherwise;
}

}  // namespace

CountedOccurrences counted_occurrences(const Evidence& evidence, const Finding& finding) {
    const NodeIndex named = raw(finding.node) < evidence.nodes.size() ? finding.node : NodeIndex(kNone);
    const auto chosen = [&](NodeIndex node, Matches found) {
        CountedOccurrences result;
        if (!found.rows.empty()) {
            const OccurrenceTable& rows = node.in(evidence.nodes).rows;
            result.kind = found.kind;
            result.node = node;
            result.others = other_rows(rows, finding, found);
            result.counted = std::move(found.rows);
        }
        return result;
    };
    if (named == kNone) {
        return {};  // it is about the run as a whole
    }
    if (finding.when.empty()) {
        Matches all =
            matches(named.in(evidence.nodes).rows, finding, [](std::uint64_t, std::uint64_t) { return true; });
        all.kind = CountedKind::kAll;
        return chosen(named, std::move(all));
    }
    // A finding's times are mostly occurrences of the node that it compared, to the nanosecond; the node that it
    // names may be another.
    Times times;
    for (const TimeRange& range : finding.when) {
        times.emplace(range.begin, range.end);
    }
    NodeIndex best = named;
    Matches most = same_times(best.in(evidence.nodes).rows, finding, times);
    if (most.rows.empty()) {
        for (const NodeIndex node : indices(evidence.nodes)) {
            Matches here = same_times(node.in(evidence.nodes).rows, finding, times);
            if (here.rows.size() > most.rows.size()) {
                most = std::move(here);
                best = node;
            }
        }
    }
    // Recurring waits begin anywhere in an occurrence or behind it; other times hold several occurrences.
    if (most.rows.size() < times.size()) {
        const OccurrenceTable& rows = named.in(evidence.nodes).rows;
        std::array looser = {within_times(rows, finding), around_times(evidence, rows, finding)};
        for (Matches& other : looser) {
            if (other.rows.size() > most.rows.size()) {
                best = named;
                most = std::move(other);
            }
        }
    }
    return chosen(best, std::move(most));
}

CountedRow counted_row(const Evidence& evidence, const CountedOccurrences& occurrences, std::size_t row) {
    const OccurrenceTable& rows = occurrences.node.in(evidence.nodes).rows;
    const std::size_t counters = rows.counters;
    const auto deltas_of = [&](const std::vector<std::int64_t>& deltas) {
        return (row + 1) * counters <= deltas.size() ? std::span(deltas).subspan(row * counters, counters)
                                                     : std::span<const std::int64_t>();
    };
    CountedRow result{.number = std::uint64_t{value_at(rows.order, row)} + 1, .thread = rows.thread[row]};
    if (occurrences.kind == CountedKind::kGaps) {
        result.begin = rows.end[row - 1];
        result.end = rows.begin[row];
        result.terms = value_at(rows.gap_terms, row);
        result.deltas = deltas_of(rows.gap_deltas);
        result.before = value_at(rows.after, row - 1, kStreamEdge);
        result.after = value_at(rows.before, row, kStreamEdge);
    } else {
        result.begin = rows.begin[row];
        result.end = rows.end[row];
        result.terms = value_at(rows.terms, row);
        result.deltas = deltas_of(rows.deltas);
        result.before = value_at(rows.before, row, kStreamEdge);
        result.after = value_at(rows.after, row, kStreamEdge);
    }
    return result;
}

std::vector<std::size_t> longest_counted(const Evidence& evidence, const CountedOccurrences& occurrences,
                                         std::size_t most) {
    std::vector<std::pair<std::uint64_t, std::size_t>> by_length;
    for (const std::size_t row : occurrences.counted) {
        const CountedRow one = counted_row(evidence, occurrences, row);
        by_length.emplace_back(one.end - one.begin, row);
    }
    std::stable_sort(by_length.begin(), by_length.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    by_length.resize(std::min(most, by_length.size()));
    std::vector<std::size_t> rows;
    for (const auto& [length, row] : by_length) {
        rows.push_back(row);
    }
    const OccurrenceTable* table = occurrences.node != kNone ? &occurrences.node.in(evidence.nodes).rows : nullptr;
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t a, std::size_t b) { return table->begin[a] < table->begin[b]; });
    return rows;
}

std::vector<std::size_t> some_others(const CountedOccurrences& occurrences, std::size_t most) {
    const std::size_t all = occurrences.others.size();
    const std::size_t shown = std::min(most, all);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < shown; ++i) {
        rows.push_back(occurrences.others[i * all / shown]);
    }
    return rows;
}

std::string_view counted_key(CountedKind kind) {
    switch (kind) {
        case CountedKind::kOccurrences:
            return "occurrences";
        case CountedKind::kGaps:
            return "gaps";
        case CountedKind::kAround:
            return "occurrences_around";
        case CountedKind::kAll:
            return "all";
        default:
            return "none";
    }
}

}  // namespace kymo::view
