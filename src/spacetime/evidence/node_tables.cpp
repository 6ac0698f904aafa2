#include "spacetime/evidence/node_tables.h"

#include "base/last_at_most.h"
#include "parallel/loops.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kymo::spacetime {
namespace {

constexpr std::size_t kMostPatterns = 48;  // triples kept a node
constexpr std::size_t kMostTimes = 1024;   // the most times searched for a period

std::vector<std::int64_t> counters_of(const SumRow& row) {
    return row.size() < kFirstCounter ? std::vector<std::int64_t>{}
                                      : std::vector<std::int64_t>(row.begin() + kFirstCounter, row.end());
}

TimeTerms terms_or_none(const SumRow& row) {
    return row.size() < kFirstCounter ? TimeTerms{} : terms_of(row);
}

// The waits are known only as sums: those for a thread count for as long as it lacked a processor at any time
// of the occurrence.
std::int64_t held_up(const SampledOccurrence& row, const Meanwhile& meanwhile) {
    std::int64_t held = 0;
    for (const OccurrenceWait& wait : row.waits) {
        const std::uint32_t holder = meanwhile.wait_targets[wait.target].holder;
        if (holder != kNone && holder != row.thread) {
            const double share = meanwhile.lacking.mean(holder, row.begin, row.end);
            held += std::min<std::int64_t>(wait.ns, std::llround(share * static_cast<double>(row.end - row.begin)));
        }
    }
    return held;
}

// If at least half of its user time was measured by rounds, they represent all of it.
double progress_of(const SumRow& sums) {
    const auto user = static_cast<double>(sums[kSumUser]);
    const auto measured = static_cast<double>(sums[kSumMeasured]);
    return measured > 0 && 2 * measured >= user ? static_cast<double>(sums[kSumUsual]) * user / measured
                                                : std::numeric_limits<double>::quiet_NaN();
}

void fill_rows(OccurrenceTable& table, std::vector<SampledOccurrence>&& rows, const Meanwhile& meanwhile) {
    table.first_wait.push_back(0);
    for (SampledOccurrence& row : rows) {
        table.thread.push_back(row.thread);
        table.begin.push_back(row.begin);
        table.end.push_back(row.end);
        table.samples.push_back(static_cast<std::uint64_t>(row.sums[kSumSamples]));
        table.bridged.push_back(row.bridged);
        table.terms.push_back(terms_of(row.sums));
        table.waits.insert(table.waits.end(), row.waits.begin(), row.waits.end());
        table.first_wait.push_back(static_cast<std::uint32_t>(table.waits.size()));
        table.deltas.insert(table.deltas.end(), row.sums.begin() + kFirstCounter, row.sums.end());
        table.processor.push_back(row.processor);
        table.migrations.push_back(static_cast<std::uint32_t>(row.sums[kSumMigrations]));
        table.before.push_back(row.before);
        table.after.push_back(row.after);
        table.order.push_back(row.order);
        table.gap_terms.push_back(terms_or_none(row.gap));
        if (row.gap.empty()) {
            table.gap_deltas.resize(table.gap_deltas.size() + table.counters);
        } else {
            table.gap_deltas.insert(table.gap_deltas.end(), row.gap.begin() + kFirstCounter, row.gap.end());
        }
        table.ready_before.push_back(row.ready_before);
        table.held_up.push_back(held_up(row, meanwhile));
        table.taken.push_back(row.sums[kSumTaken]);
        table.step.push_back(kStreamEdge);
        table.active_threads.push_back(static_cast<float>(
            meanwhile.at_work.mean(meanwhile.profile.threads[row.thread].process, row.begin, row.end)));
        table.progress.push_back(progress_of(row.sums));
    }
}

// Maps rounds of one loop's threads to the numbers that simultaneous rounds of all threads share.
class Steps {
  public:
    explicit Steps(const LevelStructure& level) : level_(level) {
        std::size_t most = 0;
        bool is_even = true;
        for (std::size_t i = 0; i < level.streams.size(); ++i) {
            const std::size_t count = level.streams[i].second.rounds.size();
            is_even = is_even && count == level.streams[0].second.rounds.size();
            if (count > level.streams[most].second.rounds.size()) {
                most = i;
            }
        }
        reference_ = is_even || level.streams.empty() ? nullptr : &level.streams[most].second.rounds;
    }
    std::uint32_t at(std::uint32_t thread, std::uint64_t time) const {
        for (const auto& [stream, rounds] : level_.streams) {
            if (stream != thread) {
                continue;
            }
            const std::uint32_t own = index(rounds.rounds, time);
            if (own == kStreamEdge || reference_ == nullptr) {
                return own;
            }
            const Round& round = rounds.rounds[own];
            return index(*reference_, round.begin + (round.end - round.begin) / 2);
        }
        return kStreamEdge;
    }

  private:
    static std::uint32_t index(const std::vector<Round>& rounds, std::uint64_t time) {
        const Round* const round = last_at_most(rounds, time, &Round::begin);
        return round == nullptr || round->end <= time ? kStreamEdge
                                                      : static_cast<std::uint32_t>(round - rounds.data());
    }
    const LevelStructure& level_;
    const std::vector<Round>* reference_ = nullptr;
};

std::vector<ThreadWork> sorted_work(const std::map<std::uint32_t, WorkSums>& by_thread) {
    std::vector<ThreadWork> work;
    for (const auto& [thread, ns] : by_thread) {
        work.push_back({thread, ns});
    }
    return work;
}

}  // namespace

void fill_node(SpaceNode& node, NodeSums&& sums, const Meanwhile& meanwhile, const EvidenceOptions& options) {
    const std::size_t counters = meanwhile.profile.events.size();
    node.total = terms_or_none(sums.own);
    node.deltas = counters_of(sums.own);
    node.deltas.resize(counters);
    node.samples = sums.own.empty() ? 0 : static_cast<std::uint64_t>(sums.own[kSumSamples]);
    node.occurrences = sums.occurrences;
    node.durations = std::move(sums.durations);
    node.waits = sorted_waits(sums.own_waits);
    node.work = sorted_work(sums.own_work);
    node.threads = std::move(sums.threads);
    std::sort(node.threads.begin(), node.threads.end());
    node.median_samples = sums.samples.median();
    node.folded = node.median_samples < options.fold_below && !node.total.mostly_waits();
    node.rows = OccurrenceTable(counters);
    fill_rows(node.rows, std::move(sums.sample).take(options.occurrence_cap), meanwhile);
}

void fill_kept(std::vector<SpaceNode>& nodes, std::vector<NodeSums>&& sums, const std::vector<LevelStructure>& levels,
               const Meanwhile& meanwhile, const EvidenceOptions& options) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        SpaceNode& node = nodes[i];
        fill_node(node, std::move(sums[i]), meanwhile, options);
        node.structure = levels[i].score;
        node.rounds = levels[i].rounds;
        if (levels[i].is_main) {
            node.role = Role::kMainLoop;
        } else if (node.parent != kNone && node.parent.in(levels).is_loop) {
            node.role = Role::kPhase;
        }
    }
    add_up(nodes);
}

void add_up(std::vector<SpaceNode>& nodes) {
    std::vector<std::map<std::uint32_t, std::int64_t>> waits(nodes.size());
    std::vector<std::map<std::uint32_t, WorkSums>> work(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const OccurrenceWait& wait : nodes[i].waits) {
            waits[i][wait.target] += wait.ns;
        }
        for (const ThreadWork& part : nodes[i].work) {
            work[i].emplace(part.thread, part.ns);
        }
    }
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const SpaceNode& node = nodes[i];
        if (node.parent == kNone || node.kind == SpaceKind::kIteration || node.kind == SpaceKind::kMark) {
            continue;
        }
        SpaceNode& parent = node.parent.in(nodes);
        parent.total += node.total;
        parent.samples += node.samples;
        for (std::size_t event = 0; event < node.deltas.size(); ++event) {
            parent.deltas[event] += node.deltas[event];
        }
        for (const auto& [target, ns] : waits[i]) {
            node.parent.in(waits)[target] += ns;
        }
        for (const auto& [thread, ns] : work[i]) {
            node.parent.in(work)[thread] += ns;
        }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        nodes[i].waits = sorted_waits(waits[i]);
        nodes[i].work = sorted_work(work[i]);
    }
}

void number_steps(std::vector<SpaceNode>& nodes, const std::vector<LevelStructure>& levels) {
    std::vector<Steps> steps;
    for (const LevelStructure& level : levels) {
        steps.emplace_back(level);
    }
    for (SpaceNode& node : nodes) {
        NodeIndex loop = node.parent;
        while (loop != kNone && (raw(loop) >= levels.size() || !loop.in(levels).is_loop)) {
            loop = loop.in(nodes).parent;
        }
        if (loop == kNone) {
            continue;
        }
        for (std::size_t row = 0; row < node.rows.size(); ++row) {
            node.rows.step[row] = loop.in(steps).at(node.rows.thread[row], node.rows.begin[row]);
        }
    }
}

SpaceIntervals make_intervals(std::uint32_t node, const NodeSums& sums) {
    SpaceIntervals result;
    result.node = node;
    result.gaps = sums.gaps;
    result.gap_terms = terms_or_none(sums.gap_sums);
    result.gap_deltas = counters_of(sums.gap_sums);
    // Within its octave the median is not known more exactly; its middle is as good as any.
    std::uint64_t seen = 0;
    for (std::size_t octave = 0; octave < result.gaps.by_octave.size(); ++octave) {
        seen += result.gaps.by_octave[octave];
        if (2 * seen >= result.gaps.count && result.gaps.count != 0) {
            result.median_gap_ns = std::min((std::uint64_t{3} << octave) / 2, result.gaps.longest);
            break;
        }
    }
    for (const GapRecord& gap : sums.longest) {
        result.longest.push_back({.thread = gap.thread,
                                  .begin = gap.begin,
                                  .end = gap.end,
                                  .terms = terms_or_none(gap.sums),
                                  .waits = gap.waits,
                                  .deltas = counters_of(gap.sums),
                                  .filled = gap.filled});
    }
    return result;
}

std::vector<SpaceIntervals> node_intervals(const std::vector<NodeSums>& sums) {
    std::vector<SpaceIntervals> intervals;
    for (std::uint32_t node = 0; node < sums.size(); ++node) {
        if (sums[node].gaps.count != 0) {
            intervals.push_back(make_intervals(node, sums[node]));
        }
    }
    return intervals;
}

std::optional<Period> period_of(const OccurrenceSums& sums, std::uint32_t level, std::uint32_t node) {
    std::vector<std::uint64_t> best;
    for (auto at = sums.sequences.lower_bound({level, 0}); at != sums.sequences.end() && at->first.first == level;
         ++at) {
        std::vector<std::uint64_t> times;
        for (const OccurrenceSequence::Entry& entry : at->second.entries()) {
            if (entry.node == node && times.size() < kMostTimes) {
                times.push_back(entry.begin);
            }
        }
        if (times.size() > best.size()) {
            best = std::move(times);
        }
    }
    return find_period(best);
}

void find_periods(std::vector<SpaceIntervals>& intervals, const std::vector<SpaceNode>& nodes,
                  const OccurrenceSums& sums, std::size_t kept) {
    parallel::for_each_index(intervals.size(), [&](std::size_t i) {
        const std::uint32_t node = intervals[i].node;
        // If a node's single occurrences are folded, their begins are not analysed either.
        if (node < kept && !nodes[node].folded) {
            const NodeIndex parent = nodes[node].parent;
            intervals[i].period =
                period_of(sums, parent == kNone ? static_cast<std::uint32_t>(kept) : raw(parent), node);
        }
    });
}

std::vector<CodePattern> make_patterns(const OccurrenceSums& sums) {
    std::map<PatternKey, PatternRecord> all;
    std::map<std::uint32_t, std::vector<CodePattern>> by_node;
    const auto as_pattern = [](const PatternKey& key, const PatternRecord& record) {
        return CodePattern{.before = key.before,
                           .node = key.node,
                           .after = key.after,
                           .durations = record.durations,
                           .samples = static_cast<std::uint64_t>(record.sums[kSumSamples]),
                           .terms = terms_of(record.sums),
                           .deltas = counters_of(record.sums)};
    };
    const auto by_time = [](const CodePattern& a, const CodePattern& b) {
        return std::tuple(b.durations.total, a.before, a.after) < std::tuple(a.durations.total, b.before, b.after);
    };
    for (const auto& [key, record] : sums.patterns) {
        by_node[key.node].push_back(as_pattern(key, record));
        for (const PatternKey& side :
             {PatternKey{key.before, key.node, kAnyNeighbour}, PatternKey{kAnyNeighbour, key.node, key.after}}) {
            PatternRecord& to = all[side];
            to.durations.merge(record.durations);
            to.sums.resize(record.sums.size());
            for (std::size_t i = 0; i < record.sums.size(); ++i) {
                to.sums[i] += record.sums[i];
            }
        }
    }
    std::map<std::uint32_t, std::vector<CodePattern>> sides;
    for (const auto& [key, record] : all) {
        sides[key.node].push_back(as_pattern(key, record));
    }
    std::vector<CodePattern> result;
    for (auto& [node, triples] : by_node) {
        auto& pairs = sides[node];
        std::sort(triples.begin(), triples.end(), by_time);
        std::sort(pairs.begin(), pairs.end(), by_time);
        triples.resize(std::min(triples.size(), kMostPatterns));
        pairs.resize(std::min(pairs.size(), kMostPatterns));
        triples.insert(triples.end(), pairs.begin(), pairs.end());
        std::sort(triples.begin(), triples.end(), by_time);
        result.insert(result.end(), triples.begin(), triples.end());
    }
    return result;
}

void fill_lives(std::vector<SameSpaces>& groups, OccurrenceSums&& lives, std::vector<NodeSums>&& parts,
                const Meanwhile& meanwhile, const EvidenceOptions& options) {
    std::vector<CodePattern> patterns = make_patterns(lives);
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
        SameSpaces& group = groups[i];
        group.is_part = lives.nodes[i].occurrences == 0 && parts[i].occurrences != 0;
        NodeSums& sums = group.is_part ? parts[i] : lives.nodes[i];
        group.gaps = make_intervals(i, sums);
        fill_node(group.life, std::move(sums), meanwhile, options);
        if (!group.life.folded && !group.is_part) {
            group.gaps.period = period_of(lives, static_cast<std::uint32_t>(lives.nodes.size()), i);
        }
    }
    for (CodePattern& pattern : patterns) {
        groups[pattern.node].patterns.push_back(std::move(pattern));
    }
}

}  // namespace kymo::spacetime
