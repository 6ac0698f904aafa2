#include "spacetime/evidence/occurrences/stream_occurrences.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

void add_difference(SumRow& to, const SumRow& later, const SumRow& earlier) {
    if (to.size() != later.size()) {
        to.resize(later.size());
    }
    std::int64_t* const sums = to.data();
    const std::int64_t* const upper = later.data();
    const std::int64_t* const lower = earlier.data();
    for (std::size_t i = 0, count = later.size(); i < count; ++i) {
        sums[i] += upper[i] - lower[i];
    }
}

}  // namespace

std::vector<OccurrenceWait> sorted_waits(const std::map<std::uint32_t, std::int64_t>& by_target) {
    std::vector<OccurrenceWait> waits;
    waits.reserve(by_target.size());
    for (const auto& [target, ns] : by_target) {
        waits.push_back({target, ns});
    }
    std::stable_sort(waits.begin(), waits.end(),
                     [](const OccurrenceWait& a, const OccurrenceWait& b) { return a.ns > b.ns; });
    return waits;
}

StreamOccurrences::StreamOccurrences(const KeptNodes& kept, std::uint32_t thread, std::uint32_t created_in,
                                     std::uint64_t begin, std::size_t counters, const OccurrenceLimits& limits,
                                     OccurrenceSums& sums)
    : kept_(kept),
      thread_(thread),
      limits_(limits),
      sums_(sums),
      now_{.time = begin, .sums = SumRow(kFirstCounter + counters)},
      at_change_(kFirstCounter + counters),
      levels_(kept.size() + 1),
      last_(kept.size()),
      work_(kept.size()),
      is_visited_(kept.size()),
      is_creators_(kept.size()) {
    sums_.nodes.resize(kept.size());
    for (; created_in != kNone; created_in = kept.parent[created_in]) {
        is_creators_[created_in] = true;
    }
    switch_level(static_cast<std::uint32_t>(kept.size()), kParentItself);
}

StreamOccurrences::Level& StreamOccurrences::level_at(std::uint32_t level) {
    if (levels_[level] == nullptr) {
        levels_[level] = std::make_unique<Level>();
        levels_[level]->sequence = &sums_.sequences[{level, thread_}];
    }
    return *levels_[level];
}

void StreamOccurrences::switch_level(std::uint32_t level, std::uint32_t node) {
    if (node < kept_.size() && is_creators_[node]) {
        node = kOutside;
    }
    level_at(level).occurrences.switch_to(node, now_,
                                          [&](const LevelOccurrence& occurrence) { settle(level, occurrence); });
}

void StreamOccurrences::go_to(std::uint32_t leaf, std::uint64_t time) {
    now_.time = time;
    if (leaf == leaf_) {
        return;
    }
    in_wait_ = false;
    if (leaf_ != kNone) {
        add_difference(sums_.nodes[leaf_].own, now_.sums, at_change_);
        work_[leaf_].user += now_.sums[kSumUser] - at_change_[kSumUser];
        work_[leaf_].system += now_.sums[kSumSystem] - at_change_[kSumSystem];
    }
    std::copy(now_.sums.begin(), now_.sums.end(), at_change_.begin());
    const auto top = static_cast<std::uint32_t>(kept_.size());
    // Up from the old leaf to the common ancestor, then down to the new one. Nodes without children are not levels.
    std::uint32_t from = leaf_;
    std::uint32_t to = leaf;
    std::uint32_t from_child = kParentItself;
    std::uint32_t to_child = kParentItself;
    const auto depth = [&](std::uint32_t node) { return node == kNone ? 0U : kept_.depth[node] + 1; };
    const auto leave = [&] {
        if (kept_.children[from] != 0) {
            switch_level(from, kOutside);
        }
        from_child = from;
        from = kept_.parent[from];
    };
    const auto enter = [&] {
        if (kept_.children[to] != 0) {
            switch_level(to, to_child);
        }
        to_child = to;
        to = kept_.parent[to];
    };
    while (depth(from) > depth(to)) {
        leave();
    }
    while (depth(to) > depth(from)) {
        enter();
    }
    while (from != to) {
        leave();
        enter();
    }
    if (from_child != to_child) {
        switch_level(from == kNone ? top : from, to_child);
    }
    leaf_ = leaf;
}

void StreamOccurrences::piece(const StateInterval& interval, bool is_spinning, std::uint32_t node,
                              std::uint32_t target) {
    const auto ns = static_cast<std::int64_t>(interval.end - interval.begin);
    const std::size_t column = is_spinning ? kSumSpinning : column_of(interval.state);
    piece_has_node_ = node != kNone;
    if (node != kNone) {
        go_to(kept_.leaf_of[node], interval.begin);
    } else if (leaf_ != kNone) {
        // Where it was is not known, as after a thread's last sample: the occurrence goes on, and the time
        // belongs to no node.
        at_change_[column] += ns;
    }
    now_.sums[column] += ns;
    now_.time = interval.end;
    if (interval.state == ThreadState::kWaiting && target != kStreamEdge) {
        if (in_wait_ && waits_.back().target == target) {
            waits_.back().ns += ns;
        } else {
            waits_.push_back({interval.begin, ns, target});
        }
        if (leaf_ != kNone) {
            sums_.nodes[leaf_].own_waits[target] += ns;
        }
    }
    in_wait_ = interval.state == ThreadState::kWaiting && target != kStreamEdge;
}

void StreamOccurrences::called(std::int64_t ns, std::uint32_t in) {
    const std::uint32_t to = kept_.leaf_of[in];
    if (to == leaf_ && piece_has_node_) {
        return;
    }
    if (leaf_ != kNone && piece_has_node_) {
        at_change_[kSumSystem] += ns;
    }
    if (to != kNone) {
        SumRow& own = sums_.nodes[to].own;
        own.resize(std::max(own.size(), now_.sums.size()));
        own[kSumSystem] += ns;
        work_[to].system += ns;
    }
}

void StreamOccurrences::sample(std::uint64_t time, std::uint32_t node, std::uint32_t processor,
                               std::span<const std::int64_t> deltas) {
    const bool is_known = node != kNone;
    if (is_known) {
        go_to(kept_.leaf_of[node], time);
    }
    if (has_processor_ && processor != now_.processor) {
        ++now_.sums[kSumMigrations];
    }
    has_processor_ = true;
    now_.processor = processor;
    ++now_.sums[kSumSamples];
    for (std::size_t i = 0; i < deltas.size(); ++i) {
        now_.sums[kFirstCounter + i] += deltas[i];
    }
    if (!is_known) {
        // Like time at no known place: it belongs to the occurrence, and to no node's own code.
        ++at_change_[kSumSamples];
        for (std::size_t i = 0; i < deltas.size(); ++i) {
            at_change_[kFirstCounter + i] += deltas[i];
        }
    }
}

void StreamOccurrences::finish() {
    go_to(kNone, now_.time);
    for (std::size_t node = 0; node < work_.size(); ++node) {
        if (work_[node] != WorkSums{}) {
            sums_.nodes[node].own_work[thread_] += work_[node];
        }
    }
    for (std::uint32_t level = 0; level < levels_.size(); ++level) {
        if (levels_[level] != nullptr) {
            levels_[level]->occurrences.finish(now_,
                                               [&](const LevelOccurrence& occurrence) { settle(level, occurrence); });
            levels_[level].reset();
        }
    }
}

std::vector<OccurrenceWait> StreamOccurrences::waits_between(std::uint64_t begin, std::uint64_t end) const {
    std::map<std::uint32_t, std::int64_t> by_target;
    auto at = std::lower_bound(waits_.begin(), waits_.end(), begin,
                               [](const WaitPiece& piece, std::uint64_t time) { return piece.begin < time; });
    for (; at != waits_.end() && at->begin < end; ++at) {
        by_target[at->target] += at->ns;
    }
    return sorted_waits(by_target);
}

void StreamOccurrences::add_gap(Level& level, NodeSums& node, const LastOccurrence& last,
                                const LevelOccurrence& occurrence) {
    const std::uint64_t ns = occurrence.begin.time - last.end.time;
    node.gaps.add(ns);
    add_difference(node.gap_sums, occurrence.begin.sums, last.end.sums);
    if (!node.is_long(ns)) {
        return;
    }
    GapRecord gap{.thread = thread_,
                  .begin = last.end.time,
                  .end = occurrence.begin.time,
                  .sums = {},
                  .waits = {},
                  .filled = {}};
    add_difference(gap.sums, occurrence.begin.sums, last.end.sums);
    gap.waits = waits_between(gap.begin, gap.end);
    const auto& entries = level.sequence->entries();
    std::map<std::uint32_t, std::int64_t> filled;
    for (auto at = entries.rbegin(); at != entries.rend() && at->end > gap.begin; ++at) {
        const std::uint64_t from = std::max(at->begin, gap.begin);
        const std::uint64_t to = std::min(at->end, gap.end);
        if (from < to) {
            filled[at->node] += static_cast<std::int64_t>(to - from);
        }
    }
    for (const OccurrenceWait& part : sorted_waits(filled)) {
        gap.filled.push_back({part.target, part.ns});
    }
    node.add_long(std::move(gap));
}

PatternRecord& StreamOccurrences::pattern_of(LastOccurrence& last, const LevelOccurrence& occurrence) {
    if (last.pattern == nullptr || last.before != occurrence.before || last.after != occurrence.after ||
        last.generation != sums_.patterns.generation()) {
        last.before = occurrence.before;
        last.after = occurrence.after;
        last.pattern = &sums_.patterns.at({occurrence.before, occurrence.node, occurrence.after});
        last.generation = sums_.patterns.generation();
    }
    return *last.pattern;
}

void StreamOccurrences::settle(std::uint32_t level_number, const LevelOccurrence& occurrence) {
    Level& level = *levels_[level_number];
    if (occurrence.node < kept_.size()) {
        NodeSums& node = sums_.nodes[occurrence.node];
        LastOccurrence& last = last_[occurrence.node];
        if (last.is_known) {
            add_gap(level, node, last, occurrence);
            ++last.order;
        } else if (!is_visited_[occurrence.node]) {
            is_visited_[occurrence.node] = true;
            node.threads.push_back(thread_);
        }
        ++node.occurrences;
        const std::uint64_t ns = occurrence.end.time - occurrence.begin.time;
        node.durations.add(ns);
        node.samples.add(static_cast<std::uint64_t>(occurrence.samples()));
        PatternRecord& pattern = pattern_of(last, occurrence);
        pattern.durations.add(ns);
        add_difference(pattern.sums, occurrence.end.sums, occurrence.begin.sums);
        const std::uint64_t rank = OccurrenceSample::rank_of(occurrence.node, thread_, last.order);
        if (limits_.occurrence_cap != 0 && node.sample.takes(rank)) {
            SampledOccurrence row{.rank = rank,
                                  .thread = thread_,
                                  .order = last.order,
                                  .begin = occurrence.begin.time,
                                  .end = occurrence.end.time,
                                  .before = occurrence.before,
                                  .after = occurrence.after,
                                  .processor = occurrence.begin.processor,
                                  .bridged = occurrence.bridged,
                                  .ready_before = occurrence.begin.sums[kSumReady],
                                  .sums = {},
                                  .gap = {},
                                  .waits = waits_between(occurrence.begin.time, occurrence.end.time)};
            add_difference(row.sums, occurrence.end.sums, occurrence.begin.sums);
            if (last.is_known) {
                add_difference(row.gap, occurrence.begin.sums, last.end.sums);
            }
            node.sample.add(std::move(row), limits_.occurrence_cap);
        }
        last.is_known = true;
        last.end = occurrence.end;
    }
    // A wait outside ends a repetition here as a sample does.
    const bool is_break =
        occurrence.node == kOutside && occurrence.end.sums[kSumWaiting] != occurrence.begin.sums[kSumWaiting];
    const auto seen = std::clamp<std::int64_t>(occurrence.samples(), is_break ? 1 : 0, 0x7fffffff);
    level.sequence->add(
        {occurrence.begin.time, occurrence.end.time, occurrence.node, static_cast<std::uint32_t>(seen)},
        limits_.sequence_cap);
}

}  // namespace kymo::spacetime
