#include "view/spaces/space_tables.h"

#include "program/demangle.h"
#include "view/spaces/event_rates.h"
#include "view/spaces/space_words.h"
#include "view/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace kymo::view {

using namespace spacetime;

namespace {

constexpr std::uint64_t kManyFolded = 30;  // occurrences too short to be looked at one by one

class Tables {
  public:
    Tables(const Evidence& evidence, const ReportOptions& options, std::string_view filter)
        : evidence_(evidence), options_(options), style_(options.style), filter_(filter) {}

    std::string all() {
        spaces();
        heavy_spaces();
        event_rates();
        gaps();
        patterns();
        return std::move(out_);
    }

  private:
    void heading(std::string_view title, std::string_view rest) {
        out_ += "\n" + paint(style_, Ink::kHeading, title) + "  " + paint(style_, Ink::kDim, rest) + "\n";
    }
    // Rows of `order` up to --top.
    template <typename Order, typename Row>
    void table(std::vector<std::string> headings, const Order& order, Row&& row) {
        Table table;
        table.headings = std::move(headings);
        const std::size_t shown = std::min(order.size(), options_.top);
        for (std::size_t i = 0; i < shown; ++i) {
            table.rows.push_back(row(order[i]));
        }
        out_ += render(style_, table);
        if (shown < order.size()) {
            out_ += "  " +
                    paint(style_, Ink::kDim,
                          fmt::format("{} {} more (--top {})", signs(style_).ellipsis, order.size() - shown,
                                      order.size())) +
                    "\n";
        }
    }
    // Of code whose occurrences have hardly a sample many are not seen at all: what lies between two of them is
    // chance.
    bool is_seen(const SpaceNode& node) const { return !node.folded || node.median_samples >= 2; }
    std::string time(std::uint64_t ns) const { return duration(style_, static_cast<std::int64_t>(ns)); }

    std::int64_t metric_of(const SpaceNode& node) const {
        return options_.metric.of(cost_row(node.total, node.samples, node.deltas));
    }
    void add_place(std::vector<Cell>& cells, const SpaceNode& node) const {
        cells.push_back(
            {std::string(std::size_t{2} * std::min(node.depth, 12U), ' ') + space_name(node), Ink::kName});
        cells.push_back({"  " + place_lines(node.place, style_.unicode), Ink::kDim});
    }

    void spaces() {
        std::vector<NodeIndex> order;
        for (const NodeIndex i : indices(evidence_.nodes)) {
            if (passes(i.in(evidence_.nodes).place, filter_) && metric_of(i.in(evidence_.nodes)) > 0 &&
                !repeats_parent(evidence_, i)) {
                order.push_back(i);
            }
        }
        if (order.empty()) {
            return;
        }
        const std::int64_t all = options_.metric.of(cost_row(evidence_.run.total, 0, evidence_.run.deltas));
        std::stable_sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
            return metric_of(a.in(evidence_.nodes)) > metric_of(b.in(evidence_.nodes));
        });
        heading("Code spaces over time",
                "by " + options_.metric.name + "; occurrences, how long they are, and the longest gap between two");
        table({"share", "times", "median", "longest", "gap", "space"}, order, [&](NodeIndex i) {
            const SpaceNode& node = i.in(evidence_.nodes);
            const auto interval = std::find_if(evidence_.intervals.begin(), evidence_.intervals.end(),
                                               [&](const SpaceIntervals& at) { return at.node == raw(i); });
            std::vector<Cell> cells = {
                {percent(share(metric_of(node), all))},
                {count(static_cast<std::int64_t>(node.occurrences))},
                {node.folded && node.occurrences > 1 ? std::string("short") : time(median_duration(node))},
                {time(node.durations.longest)},
                {interval == evidence_.intervals.end() ? std::string(signs(style_).dot)
                                                       : time(interval->gaps.longest)}};
            cells.push_back({space_name(node), Ink::kName});
            std::string rest = "  " + place_lines(node.place, style_.unicode);
            if (node.role == Role::kMainLoop) {
                rest += fmt::format("  main loop, {} rounds", count(static_cast<std::int64_t>(node.rounds)));
            } else if (node.role == Role::kPhase) {
                rest += "  phase";
            }
            rest += is_of_created_threads(node) ? "  with the threads it creates" : "";
            cells.push_back({rest, Ink::kDim});
            return cells;
        });
    }

    static std::uint64_t median_duration(const SpaceNode& node) {
        std::vector<std::uint64_t> durations;
        durations.reserve(node.rows.size());
        for (std::size_t row = 0; row < node.rows.size(); ++row) {
            durations.push_back(node.rows.duration(row));
        }
        if (durations.empty()) {
            return 0;
        }
        const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
        std::nth_element(durations.begin(), middle, durations.end());
        return *middle;
    }

    // Groups of same spaces; one alone is a space of its own.
    void heavy_spaces() {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < evidence_.same_spaces.size(); ++i) {
            const SameSpaces& group = evidence_.same_spaces[i];
            if (std::any_of(group.members.begin(), group.members.end(),
                            [&](std::uint32_t member) { return passes(evidence_.spaces[member].place, filter_); })) {
                order.push_back(i);
            }
        }
        if (order.empty()) {
            return;
        }
        heading("Heavy code",
                "by weight: instructions times occurrences between two samples; time against weight well above 1: "
                "stalls");
        table({"weight", "time", "95 % of time", "time/weight", "times", "alike", "code"}, order, [&](std::size_t i) {
            const SameSpaces& group = evidence_.same_spaces[i];
            const HeavySpace& space = evidence_.spaces[group.members.front()];
            const double stall = group.weight > 0 ? group.time_share / group.weight : 0;
            std::vector<Cell> cells = {
                {percent(group.weight)},
                {percent(group.time_share)},
                {group.members.size() == 1 ? fmt::format("{:.1f}{}{:.1f}", space.time_low * 100,
                                                         style_.unicode ? "–" : "-", space.time_high * 100)
                                           : std::string(signs(style_).dot)},
                {fmt::format("{:.1f}", stall), stall >= 2 ? Ink::kHot : Ink::kPlain},
                {count(static_cast<std::int64_t>(group.occurrences))},
                {group.members.size() == 1 ? std::string(signs(style_).dot)
                                           : fmt::format("{} {:.0f}%", group.members.size(), group.overlap * 100)}};
            add_code(cells, space);
            return cells;
        });
        heavy_counters(order);
    }

    // Many lie in one function: the lines tell them apart.
    void add_code(std::vector<Cell>& cells, const HeavySpace& space) const {
        const std::string name =
            space.place.function.empty() ? space.place.module : program::plain_name(space.place.function);
        if (const std::string lines = place_lines(space.place, style_.unicode); !lines.empty()) {
            cells.push_back({lines + "  "});
        } else {
            cells.emplace_back();
        }
        cells.push_back({name, Ink::kName});
        cells.push_back({space.uncertain ? "  uncertain" : "", Ink::kDim});
    }

    // The same rows once more, where cycles and instructions were counted: beside the other figures there would be no
    // room for the code's name.
    void heavy_counters(const std::vector<std::size_t>& order) {
        const EventRates rates(evidence_);
        if (!rates.has_per_cycle()) {
            return;
        }
        const std::vector<CounterIndex> misses = rates.misses();
        heading("Counters of heavy code",
                misses.empty() ? "instructions per cycle" : "instructions per cycle; misses per 1,000 instructions");
        std::vector<std::string> headings = {"weight", "instr/cycle"};
        for (const CounterIndex event : misses) {
            headings.push_back(event.in(evidence_.run.counters));
        }
        headings.emplace_back("code");
        table(std::move(headings), order, [&](std::size_t i) {
            const SameSpaces& group = evidence_.same_spaces[i];
            const std::optional<double> per_cycle = rates.per_cycle(group.deltas);
            std::vector<Cell> cells = {{percent(group.weight)},
                                       {per_cycle ? fmt::format("{:.2f}", *per_cycle) : "-"}};
            for (const CounterIndex event : misses) {
                cells.push_back({rate_words(rates.per_thousand_instructions(event, group.deltas))});
            }
            add_code(cells, evidence_.spaces[group.members.front()]);
            return cells;
        });
    }

    static std::string rate_words(std::optional<double> rate) {
        return !rate ? std::string("-") : *rate == 0 ? "0" : fmt::format("{:.3g}", *rate);
    }
    // "1.2 (0.03)": here, and in the rest of the program.
    static std::string here_and_elsewhere(std::optional<double> here, std::optional<double> elsewhere) {
        return fmt::format("{} ({})", rate_words(here), rate_words(elsewhere));
    }

    static std::int64_t processor_time(const SpaceNode& node) { return node.total.user + node.total.system; }

    void event_rates() {
        const EventRates rates(evidence_);
        std::vector<NodeIndex> order;
        for (const NodeIndex i : indices(evidence_.nodes)) {
            const SpaceNode& node = i.in(evidence_.nodes);
            if (passes(node.place, filter_) && processor_time(node) > 0 && !repeats_parent(evidence_, i)) {
                order.push_back(i);
            }
        }
        if (order.empty() || (rates.events().empty() && !rates.has_per_cycle())) {
            return;
        }
        std::stable_sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
            return processor_time(a.in(evidence_.nodes)) > processor_time(b.in(evidence_.nodes));
        });
        heading("Events by code", rates.unit() + ", and in the rest of the program");
        std::vector<std::string> headings;
        if (rates.has_per_cycle()) {
            headings.emplace_back("instr/cycle");
        }
        for (const CounterIndex event : rates.events()) {
            headings.push_back(event.in(evidence_.run.counters));
        }
        headings.emplace_back("space");
        table(std::move(headings), order, [&](NodeIndex i) {
            const SpaceNode& node = i.in(evidence_.nodes);
            std::vector<Cell> cells;
            if (rates.has_per_cycle()) {
                const std::optional<double> per_cycle = rates.per_cycle(node.deltas);
                cells.push_back({per_cycle ? fmt::format("{:.2f}", *per_cycle) : "-"});
            }
            for (const CounterIndex event : rates.events()) {
                cells.push_back({here_and_elsewhere(rates.rate(event, node.total, node.deltas),
                                                    rates.rate_elsewhere(event, node.total, node.deltas))});
            }
            cells.push_back({space_name(node), Ink::kName});
            cells.push_back({"  " + place_lines(node.place, style_.unicode), Ink::kDim});
            return cells;
        });
    }

    void gaps() {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < evidence_.intervals.size(); ++i) {
            const NodeIndex node(evidence_.intervals[i].node);
            if (evidence_.intervals[i].gaps.count >= 2 && is_seen(node.in(evidence_.nodes)) &&
                !repeats_parent(evidence_, node) && passes(node.in(evidence_.nodes).place, filter_)) {
                order.push_back(i);
            }
        }
        if (order.empty()) {
            return;
        }
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return evidence_.intervals[a].gaps.longest > evidence_.intervals[b].gaps.longest;
        });
        heading("Gaps and periods", "of each space; what filled the longest gap");
        table({"gaps", "median", "longest", "at", "period", "space"}, order, [&](std::size_t i) {
            const SpaceIntervals& interval = evidence_.intervals[i];
            const SpaceNode& node = evidence_.nodes[interval.node];
            std::vector<Cell> cells = {
                {count(static_cast<std::int64_t>(interval.gaps.count))},
                {time(interval.median_gap_ns)},
                {time(interval.gaps.longest)},
                {interval.longest.empty() ? std::string()
                                          : time(interval.longest.front().begin - evidence_.run.begin)},
                {interval.period ? time(static_cast<std::uint64_t>(interval.period->ns)) : std::string("none")}};
            cells.push_back({space_name(node), Ink::kName});
            cells.push_back({"  " + place_lines(node.place, style_.unicode), Ink::kDim});
            if (!interval.longest.empty()) {
                cells.push_back({"  " + filled(interval.longest.front(), NodeIndex(interval.node))});
            }
            return cells;
        });
    }

    std::string filled(const LongGap& gap, NodeIndex node) const {
        const auto whole = static_cast<std::int64_t>(gap.end - gap.begin);
        std::string words;
        if (!gap.waits.empty() && 2 * gap.waits.front().ns > whole) {
            words = "waiting: " + wait_words(evidence_.wait_targets[gap.waits.front().target]);
        } else if (!gap.filled.empty() && 2 * gap.filled.front().ns > whole) {
            words = neighbour_name(evidence_, gap.filled.front().node, node, true);
        } else if (gap.filled.size() > 1) {
            words = neighbour_name(evidence_, gap.filled[0].node, node, true) + ", " +
                    neighbour_name(evidence_, gap.filled[1].node, node, true);
        }
        return words.empty() ? words : "filled by " + words;
    }

    void patterns() {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < evidence_.patterns.size(); ++i) {
            const CodePattern& pattern = evidence_.patterns[i];
            const auto is_space = [&](std::uint32_t neighbour) { return neighbour < evidence_.nodes.size(); };
            const bool is_triple = pattern.before != kAnyNeighbour && pattern.after != kAnyNeighbour &&
                                   (is_space(pattern.before) || is_space(pattern.after));
            const NodeIndex index(pattern.node);
            const SpaceNode& node = index.in(evidence_.nodes);
            if (is_triple && pattern.durations.count >= 2 && passes(node.place, filter_) &&
                (!node.folded || (is_seen(node) && pattern.durations.count >= kManyFolded)) &&
                !repeats_parent(evidence_, index)) {
                order.push_back(i);
            }
        }
        if (order.empty()) {
            return;
        }
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return evidence_.patterns[a].durations.total > evidence_.patterns[b].durations.total;
        });
        heading("Neighbours", "the same space between different ones: how often, how long each time");
        table({"times", "mean", "longest", "before, space, after"}, order, [&](std::size_t i) {
            const CodePattern& pattern = evidence_.patterns[i];
            const NodeIndex node(pattern.node);
            const std::string then = " " + std::string(signs(style_).arrow) + " ";
            std::vector<Cell> cells = {{count(static_cast<std::int64_t>(pattern.durations.count))},
                                       {time(pattern.durations.total / pattern.durations.count)},
                                       {time(pattern.durations.longest)}};
            cells.push_back({neighbour_name(evidence_, pattern.before, node, true) + then, Ink::kDim});
            cells.push_back({space_name(node.in(evidence_.nodes)), Ink::kName});
            cells.push_back({then + neighbour_name(evidence_, pattern.after, node, false), Ink::kDim});
            return cells;
        });
    }

    const Evidence& evidence_;
    const ReportOptions& options_;
    const Style& style_;
    std::string_view filter_;
    std::string out_;
};

}  // namespace

std::string terminal_spaces(const Evidence& evidence, const ReportOptions& options, std::string_view filter) {
    return Tables(evidence, options, filter).all();
}

}  // namespace kymo::view
