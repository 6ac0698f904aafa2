#include "view/spaces/space_sheet.h"

#include "program/demangle.h"
#include "view/spaces/heavy_code.h"
#include "view/spaces/space_words.h"

#include <fmt/format.h>
#include <iterator>

namespace kymo::view {

using namespace spacetime;

std::string SpaceSheet::thread_name(std::uint32_t thread) const {
    if (thread >= evidence.run.threads.size()) {
        return "?";
    }
    const std::string& name = evidence.run.threads[thread].name;
    const auto same = std::count_if(evidence.run.threads.begin(), evidence.run.threads.end(),
                                    [&](const ThreadFacts& other) { return other.name == name; });
    return !name.empty() && same == 1
               ? name
               : name + (name.empty() ? "" : " ") + std::to_string(evidence.run.threads[thread].tid);
}

void SpaceSheet::heading(std::string_view title, std::string_view rest) {
    const std::size_t used = columns(title) + 2;
    out += "\n" + paint(style, Ink::kHeading, title) + "  ";
    if (used + columns(rest) <= style.width) {
        out += paint(style, Ink::kDim, rest) + "\n";
    } else {
        // The words continue below, indented as the table is.
        const std::string wrapped = wrap(style, std::string(used, ' ') + std::string(rest), 0, 2);
        out += paint(style, Ink::kDim, wrapped.substr(used));
    }
}

void SpaceSheet::more(std::size_t shown, std::size_t all) {
    if (shown < all) {
        out +=
            "  " +
            paint(style, Ink::kDim, fmt::format("{} {} more (--top {})", signs(style).ellipsis, all - shown, all)) +
            "\n";
    }
}

void SpaceSheet::add_code(std::vector<Cell>& cells, const HeavySpace& space) const {
    const std::string name =
        space.place.function.empty() ? space.place.module : program::plain_name(space.place.function);
    const std::string lines = place_lines(space.place, style.unicode);
    const NodeIndex own = space.same < evidence.same_spaces.size()
                              ? own_code_around(evidence, evidence.same_spaces[space.same])
                              : NodeIndex(kNone);
    const auto add_lines = [&](const std::string& words) { cells.push_back({words.empty() ? words : words + "  "}); };
    if (own != kNone) {
        add_lines(place_lines(space_at(own).place, style.unicode));
        cells.push_back({space_name(space_at(own)), Ink::kName});
        cells.push_back({std::string(signs(style).then) + name + (lines.empty() ? "" : "  " + lines)});
    } else {
        add_lines(lines);
        cells.push_back({name, Ink::kName});
    }
    cells.push_back({space.uncertain ? "  uncertain" : "", Ink::kDim});
}

std::vector<std::size_t> SpaceSheet::gaps_by_length() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < evidence.intervals.size(); ++i) {
        const NodeIndex at(evidence.intervals[i].node);
        if (evidence.intervals[i].gaps.count >= 2 && is_seen(space_at(at)) && !repeats_parent(evidence, at) &&
            passes(space_at(at).place, filter)) {
            order.push_back(i);
        }
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return evidence.intervals[a].gaps.longest > evidence.intervals[b].gaps.longest;
    });
    return order;
}

std::vector<std::size_t> SpaceSheet::patterns_by_time(std::uint64_t least, std::uint64_t least_folded) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < evidence.patterns.size(); ++i) {
        const CodePattern& pattern = evidence.patterns[i];
        const auto is_space = [&](std::uint32_t neighbour) { return neighbour < evidence.nodes.size(); };
        const bool is_triple = pattern.before != kAnyNeighbour && pattern.after != kAnyNeighbour &&
                               (is_space(pattern.before) || is_space(pattern.after));
        const NodeIndex index(pattern.node);
        const SpaceNode& space = space_at(index);
        if (is_triple && pattern.durations.count >= least && passes(space.place, filter) &&
            (!space.folded || (is_seen(space) && pattern.durations.count >= least_folded)) &&
            !repeats_parent(evidence, index)) {
            order.push_back(i);
        }
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return evidence.patterns[a].durations.total > evidence.patterns[b].durations.total;
    });
    return order;
}

void SpaceSheet::add_pattern(std::vector<Cell>& cells, const std::string& before, const std::string& space,
                             const std::string& after) const {
    const std::string then = " " + std::string(signs(style).arrow) + " ";
    cells.push_back({before + then, Ink::kDim});
    cells.push_back({space, Ink::kName});
    cells.push_back({then + after, Ink::kDim});
}

void punctuate(std::vector<std::string>& phrases, std::string_view end) {
    for (std::size_t i = 0; i < phrases.size(); ++i) {
        phrases[i] += i + 1 < phrases.size() ? std::string_view(",") : end;
    }
}

std::vector<std::string> join_phrases(std::vector<std::string> first, std::vector<std::string> then) {
    if (!first.empty() && !then.empty()) {
        first.back() += ";";
    }
    first.insert(first.end(), std::make_move_iterator(then.begin()), std::make_move_iterator(then.end()));
    return first;
}

std::string rate_words(std::optional<double> rate) {
    return !rate ? std::string("-") : *rate == 0 ? "0" : fmt::format("{:.3g}", *rate);
}

}  // namespace kymo::view
