// Neighbours, whole: each piece of code between its neighbours, with the events in an occurrence there and elsewhere.
#include "view/spaces/event_rates.h"
#include "view/spaces/heavy_code.h"
#include "view/spaces/medians.h"
#include "view/spaces/neighbour_events.h"
#include "view/spaces/space_words.h"
#include "view/spaces/whole.h"

#include <span>

namespace kymo::view {

using namespace spacetime;

namespace {

const std::vector<std::string> kHeadings = {"times", "median", "mean", "longest", "before, space, after"};

constexpr std::size_t kFigures = 42;  // columns, about
constexpr std::size_t kArrow = 3;
constexpr double kFewEvents = 0.05;  // an occurrence

struct PatternName {
    std::string before;
    std::string code;
    std::string after;
};

class WholeNeighbours {
  public:
    explicit WholeNeighbours(SpaceSheet& sheet) : sheet_(sheet), events_(EventRates(sheet.evidence).events()) {}

    void of_nodes() {
        const std::vector<std::size_t> order = sheet_.patterns_by_time(1, 1);
        if (order.empty()) {
            return;
        }
        is_any_ = true;
        const std::vector<CodePattern>& patterns = sheet_.evidence.patterns;
        const auto name_of = [&](std::size_t i) {
            const NodeIndex index(patterns[i].node);
            return PatternName{neighbour_name(sheet_.evidence, patterns[i].before, index, true),
                               telling_name(sheet_.evidence, index),
                               neighbour_name(sheet_.evidence, patterns[i].after, index, false)};
        };
        sheet_.heading("Neighbours",
                       "the same code between different ones; below it events in an occurrence, and "
                       "between its other neighbours");
        sheet_.table(
            kHeadings, order,
            [&](std::size_t i) {
                const NodeIndex index(patterns[i].node);
                return row(patterns[i], median_duration(sheet_.space_at(index), patterns[i]), name_of(i));
            },
            [&](std::size_t i) { return below(patterns, patterns[i], name_of(i)); });
    }

    void of_groups() {
        struct At {
            std::uint32_t group = 0;
            std::size_t pattern = 0;
        };
        const auto& groups = sheet_.evidence.same_spaces;
        std::vector<At> order;
        for (const std::uint32_t i : groups_by_weight(sheet_.evidence, sheet_.filter)) {
            for (std::size_t at = 0; at < groups[i].patterns.size() && sheet_.is_seen(groups[i].life); ++at) {
                const CodePattern& pattern = groups[i].patterns[at];
                const bool is_triple = pattern.before != kAnyNeighbour && pattern.after != kAnyNeighbour &&
                                       (pattern.before < groups.size() || pattern.after < groups.size());
                if (is_triple && pattern.durations.count != 0) {
                    order.push_back({i, at});
                }
            }
        }
        if (order.empty()) {
            return;
        }
        is_any_ = true;
        const auto pattern_at = [&](const At& at) -> const CodePattern& {
            return groups[at.group].patterns[at.pattern];
        };
        std::stable_sort(order.begin(), order.end(), [&](const At& a, const At& b) {
            return pattern_at(a).durations.total > pattern_at(b).durations.total;
        });
        sheet_.heading("Neighbours of heavy code", "groups of same spaces, likewise");
        const auto name = [&](std::uint32_t group, bool is_before) {
            return group_neighbour_name(sheet_.evidence, group, is_before, sheet_.style.unicode);
        };
        const auto name_of = [&](const At& at) {
            const CodePattern& pattern = pattern_at(at);
            return PatternName{name(pattern.before, true), name(at.group, true), name(pattern.after, false)};
        };
        sheet_.table(
            kHeadings, order,
            [&](const At& at) {
                return row(pattern_at(at), median_duration(groups[at.group].life, pattern_at(at)), name_of(at));
            },
            [&](const At& at) { return below(groups[at.group].patterns, pattern_at(at), name_of(at)); });
    }

    bool is_any() const { return is_any_; }

  private:
    // Beside the figures.
    bool fits(const PatternName& name) const {
        return kFigures + columns(name.before) + columns(name.code) + columns(name.after) + 2 * kArrow <=
               sheet_.style.width;
    }

    std::vector<Cell> row(const CodePattern& pattern, std::uint64_t median, const PatternName& name) const {
        std::vector<Cell> cells = {{count(static_cast<std::int64_t>(pattern.durations.count))},
                                   {sheet_.time(median)},
                                   {sheet_.time(pattern.durations.total / pattern.durations.count)},
                                   {sheet_.time(pattern.durations.longest)}};
        if (fits(name)) {
            sheet_.add_pattern(cells, name.before, name.code, name.after);
        } else {
            cells.push_back({name.code, Ink::kName});
        }
        return cells;
    }

    std::vector<std::string> below(std::span<const CodePattern> patterns, const CodePattern& pattern,
                                   const PatternName& name) const {
        std::vector<std::string> words;
        for (const NeighbourEvent& event : neighbour_events(patterns, pattern, events_)) {
            if (event.here >= kFewEvents || event.elsewhere >= kFewEvents) {
                words.push_back(neighbour_event_words(sheet_.evidence, event));
            }
        }
        punctuate(words);
        std::vector<std::string> between;
        if (!fits(name)) {
            between = {"after " + name.before + ",", "before " + name.after};
        }
        return join_phrases(std::move(between), std::move(words));
    }

    SpaceSheet& sheet_;
    std::vector<CounterIndex> events_;
    bool is_any_ = false;
};

}  // namespace

void whole_neighbours(SpaceSheet& sheet) {
    WholeNeighbours neighbours(sheet);
    neighbours.of_nodes();
    neighbours.of_groups();
    if (!neighbours.is_any()) {
        sheet.heading("Neighbours", "none: no piece of code is seen beside others");
    }
}

}  // namespace kymo::view
