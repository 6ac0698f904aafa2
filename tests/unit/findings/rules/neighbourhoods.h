// A function between two of four neighbours, drawn at random, for the rules that compare by neighbour.
#pragma once

#include "findings/statistics/random.h"
#include "made_evidence.h"

#include <string>
#include <utility>
#include <vector>

namespace kymo::findings {

// `run` calls, 160 times, `scatter` or `gather` (1 and 2), `select` (5), and `store` or `drop` (3 and 4). `select` is
// as `bad` before `store` (`only_between`: and after `scatter`), otherwise, as all others are, as `usual`; up to half
// a millisecond longer at random.
inline MadeEvidence between_two(bool only_between, std::vector<std::string> counters, const MadeOccurrence& usual,
                                const MadeOccurrence& bad) {
    MadeEvidence made(std::move(counters));
    const std::uint32_t parent = made.add_node("run");
    const std::uint32_t befores[] = {made.add_node("scatter", parent), made.add_node("gather", parent)};
    const std::uint32_t afters[] = {made.add_node("store", parent), made.add_node("drop", parent)};
    const std::uint32_t select = made.add_node("select", parent);
    Random random(0xbe7);
    MadeOccurrence all;
    all.deltas.resize(usual.deltas.size());
    const auto add = [&](std::uint32_t node, MadeOccurrence one, std::uint32_t before, std::uint32_t after) {
        one.begin = static_cast<std::uint64_t>(all.terms.wall());
        one.terms.user += static_cast<std::int64_t>(random.below(kMs / 2));
        one.before = before;
        one.after = after;
        made.add_occurrence(node, one);
        all.terms += one.terms;
        for (std::size_t i = 0; i < all.deltas.size(); ++i) {
            all.deltas[i] += one.deltas[i];
        }
    };
    std::uint32_t last = spacetime::kStreamEdge;
    for (int i = 0; i < 160; ++i) {
        const std::uint32_t before = befores[random.below(2)];
        const std::uint32_t after = afters[random.below(2)];
        const bool is_bad = after == afters[0] && (!only_between || before == befores[0]);
        add(before, usual, last, select);
        add(select, is_bad ? bad : usual, before, after);
        add(after, usual, select, befores[0]);
        last = after;
    }
    made.add_occurrence(parent, all);
    return made;
}

}  // namespace kymo::findings
