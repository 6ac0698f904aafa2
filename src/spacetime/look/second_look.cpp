#include "spacetime/look/second_look.h"

#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace kymo::spacetime {
namespace {

// Of two evidences' nodes: which of the second is the first's. Of several alike the first with the first, and so on.
class Matched {
  public:
    Matched(const Evidence& first, const Evidence& second) {
        std::map<std::pair<std::uint64_t, std::size_t>, std::uint32_t> known;
        std::map<std::uint64_t, std::size_t> alike;
        for (std::uint32_t i = 0; i < second.nodes.size(); ++i) {
            const std::uint64_t identity = second.nodes[i].identity;
            known.try_emplace({identity, alike[identity]++}, i);
        }
        alike.clear();
        for (const SpaceNode& node : first.nodes) {
            const auto found = known.find({node.identity, alike[node.identity]++});
            of_first_.push_back(found == known.end() ? std::nullopt : std::optional(found->second));
        }
    }
    // Values that are not nodes (kStreamEdge, …) stay what they are.
    std::optional<std::uint32_t> operator[](std::uint32_t node) const {
        return node < of_first_.size() ? of_first_[node] : node;
    }

  private:
    std::vector<std::optional<std::uint32_t>> of_first_;
};

Seen seen(const SpaceNode& node) {
    return {.is_seen = true,
            .count = node.occurrences,
            .ns = node.total.wall(),
            .longest_ns = node.durations.longest,
            .deltas = node.deltas};
}

Seen seen(const CodeSums& sums) {
    return {.is_seen = true, .count = 0, .ns = sums.user_ns, .longest_ns = 0, .deltas = sums.deltas};
}

Seen seen(const SpaceIntervals& interval) {
    return {.is_seen = true,
            .count = interval.gaps.count,
            .ns = static_cast<std::int64_t>(interval.gaps.total),
            .longest_ns = interval.gaps.longest,
            .deltas = interval.gap_deltas};
}

Seen seen(const CodePattern& pattern) {
    return {.is_seen = true,
            .count = pattern.durations.count,
            .ns = static_cast<std::int64_t>(pattern.durations.total),
            .longest_ns = pattern.durations.longest,
            .deltas = pattern.deltas};
}

}  // namespace

SecondLook join_looks(const LookedFor& asked, const Evidence& first, const Evidence& second) {
    SecondLook look;
    look.asked = asked;
    look.first_counters = first.run.counters;
    look.second_counters = second.run.counters;
    const Matched matched(first, second);
    for (std::uint32_t i = 0; i < first.nodes.size(); ++i) {
        LookedAt at{.node = NodeIndex(i), .first = seen(first.nodes[i]), .second = {}};
        if (const auto same = matched[i]) {
            at.second = seen(second.nodes[*same]);
        }
        look.spaces.push_back(std::move(at));
    }
    for (std::uint32_t i = 0; i < first.spaces.size(); ++i) {
        LookedAt at{.space = i, .first = seen(first.code_sums[i]), .second = {}};
        if (second.code_sums[i].is_known) {
            at.second = seen(second.code_sums[i]);
        }
        look.spaces.push_back(std::move(at));
    }
    std::map<std::uint32_t, const SpaceIntervals*> intervals;
    for (const SpaceIntervals& interval : second.intervals) {
        intervals.emplace(interval.node, &interval);
    }
    for (const SpaceIntervals& interval : first.intervals) {
        LookedAt at{.node = NodeIndex(interval.node), .first = seen(interval), .second = {}};
        const auto same = matched[interval.node];
        if (const auto found = same ? intervals.find(*same) : intervals.end(); found != intervals.end()) {
            at.second = seen(*found->second);
        }
        look.intervals.push_back(std::move(at));
    }
    using Triple = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
    std::map<Triple, const CodePattern*> patterns;
    for (const CodePattern& pattern : second.patterns) {
        patterns.emplace(Triple(pattern.before, pattern.node, pattern.after), &pattern);
    }
    for (const CodePattern& pattern : first.patterns) {
        LookedAt at{.node = NodeIndex(pattern.node),
                    .before = pattern.before,
                    .after = pattern.after,
                    .first = seen(pattern),
                    .second = {}};
        const auto before = matched[pattern.before];
        const auto node = matched[pattern.node];
        const auto after = matched[pattern.after];
        const auto found = before && node && after ? patterns.find(Triple(*before, *node, *after)) : patterns.end();
        if (found != patterns.end()) {
            at.second = seen(*found->second);
        }
        look.patterns.push_back(std::move(at));
    }
    return look;
}

}  // namespace kymo::spacetime
