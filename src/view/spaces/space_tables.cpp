#include "view/spaces/space_tables.h"

#include "view/spaces/code_over_time.h"
#include "view/spaces/event_rates.h"
#include "view/spaces/heavy_code.h"
#include "view/spaces/neighbour_events.h"
#include "view/spaces/space_sheet.h"
#include "view/spaces/space_words.h"
#include "view/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace kymo::view {

using namespace spacetime;

namespace {

constexpr std::uint64_t kManyFolded = 30;  // occurrences too short to have rows of their own

class Tables : SpaceSheet {
  public:
    Tables(SpaceSheet sheet, const Branches& branches) : SpaceSheet(std::move(sheet)), branches_(branches) {}

    std::string all() {
        code_over_time(*this);
        heavy_spaces();
        events_by_code(*this);
        gaps();
        patterns();
        return std::move(out);
    }

  private:
    // Groups of same spaces; one alone is a space of its own.
    void heavy_spaces() {
        const std::vector<std::uint32_t> order = groups_by_weight(evidence, filter);
        if (order.empty()) {
            return;
        }
        heading("Heavy code",
                "by weight: instructions times occurrences between two samples; time against weight well above 1: "
                "stalls");
        table(
            {"weight", "time", "95 % of time", "time/weight", "times", "alike", "code"}, order,
            [&](std::uint32_t i) {
                const SameSpaces& group = evidence.same_spaces[i];
                const HeavySpace& space = evidence.spaces[group.members.front()];
                const double stall = group.weight > 0 ? group.time_share / group.weight : 0;
                std::vector<Cell> cells = {
                    {percent(group.weight)},
                    {percent(group.time_share)},
                    {group.members.size() == 1 ? fmt::format("{:.1f}{}{:.1f}", space.time_low * 100,
                                                             style.unicode ? "–" : "-", space.time_high * 100)
                                               : std::string(signs(style).dot)},
                    {fmt::format("{:.1f}", stall), stall >= 2 ? Ink::kHot : Ink::kPlain},
                    {count(static_cast<std::int64_t>(group.occurrences))},
                    {group.members.size() == 1
                         ? std::string(signs(style).dot)
                         : fmt::format("{} {:.0f}%", group.members.size(), group.overlap * 100)}};
                add_code(cells, space);
                return cells;
            },
            [&](std::uint32_t i) { return executed_words(i); });
        heavy_counters(order);
    }

    // Of what the branch stacks show exactly: the same code's part. Nothing: there are none.
    std::vector<std::string> executed_words(std::uint32_t group) const {
        if (group >= branches_.of_interest.size() || branches_.instructions == 0) {
            return {};
        }
        const ExecutedPart& part = branches_.of_interest[group];
        std::vector<std::string> words = {fmt::format(
            "{} of the instructions in branch stacks",
            percent(static_cast<double>(part.instructions) / static_cast<double>(branches_.instructions)))};
        if (part.judged != 0) {
            words.back() += ",";
            words.push_back(
                fmt::format("{} of {} mispredicted",
                            percent(static_cast<double>(part.mispredicted) / static_cast<double>(part.judged)),
                            quantity(part.judged, "branch", "branches")));
        }
        return words;
    }

    // The same rows once more, if cycles and instructions were counted: beside the other figures there would be no
    // room for the code's name.
    void heavy_counters(const std::vector<std::uint32_t>& order) {
        const EventRates rates(evidence);
        if (!rates.has_per_cycle()) {
            return;
        }
        const std::vector<CounterIndex> misses = rates.misses();
        heading("Counters of heavy code",
                misses.empty() ? "instructions per cycle" : "instructions per cycle; misses per 1,000 instructions");
        std::vector<std::string> headings = {"weight", "instr/cycle"};
        for (const CounterIndex event : misses) {
            headings.push_back(event.in(evidence.run.counters));
        }
        headings.emplace_back("code");
        table(std::move(headings), order, [&](std::uint32_t i) {
            const SameSpaces& group = evidence.same_spaces[i];
            const std::optional<double> per_cycle = rates.per_cycle(group.deltas);
            std::vector<Cell> cells = {{percent(group.weight)},
                                       {per_cycle ? fmt::format("{:.2f}", *per_cycle) : "-"}};
            for (const CounterIndex event : misses) {
                cells.push_back({rate_words(rates.per_thousand_instructions(event, group.deltas))});
            }
            add_code(cells, evidence.spaces[group.members.front()]);
            return cells;
        });
    }

    void gaps() {
        const std::vector<std::size_t> order = gaps_by_length();
        if (order.empty()) {
            return;
        }
        heading("Gaps and periods", "of each space; what filled the longest gap");
        table({"gaps", "median", "longest", "at", "period", "space"}, order, [&](std::size_t i) {
            const SpaceIntervals& interval = evidence.intervals[i];
            const SpaceNode& node = evidence.nodes[interval.node];
            std::vector<Cell> cells = {
                {count(static_cast<std::int64_t>(interval.gaps.count))},
                {time(interval.median_gap_ns)},
                {time(interval.gaps.longest)},
                {interval.longest.empty() ? std::string()
                                          : time(interval.longest.front().begin - evidence.run.begin)},
                {interval.period ? time(static_cast<std::uint64_t>(interval.period->ns)) : std::string("none")}};
            cells.push_back({space_name(node), Ink::kName});
            cells.push_back({"  " + place_lines(node.place, style.unicode), Ink::kDim});
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
            words = "waiting: " + wait_words(evidence.wait_targets[gap.waits.front().target]);
        } else if (!gap.filled.empty() && 2 * gap.filled.front().ns > whole) {
            words = neighbour_name(evidence, gap.filled.front().node, node, true);
        } else if (gap.filled.size() > 1) {
            words = neighbour_name(evidence, gap.filled[0].node, node, true) + ", " +
                    neighbour_name(evidence, gap.filled[1].node, node, true);
        }
        return words.empty() ? words : "filled by " + words;
    }

    void patterns() {
        const std::vector<std::size_t> order = patterns_by_time(2, kManyFolded);
        if (order.empty()) {
            return;
        }
        heading("Neighbours", "the same space between different ones: how often, how long each time");
        const std::vector<CounterIndex> events = EventRates(evidence).events();
        table(
            {"times", "mean", "longest", "before, space, after"}, order,
            [&](std::size_t i) {
                const CodePattern& pattern = evidence.patterns[i];
                const NodeIndex index(pattern.node);
                std::vector<Cell> cells = {{count(static_cast<std::int64_t>(pattern.durations.count))},
                                           {time(pattern.durations.total / pattern.durations.count)},
                                           {time(pattern.durations.longest)}};
                add_pattern(cells, neighbour_name(evidence, pattern.before, index, true), space_name(space_at(index)),
                            neighbour_name(evidence, pattern.after, index, false));
                return cells;
            },
            [&](std::size_t i) {
                const auto telling = telling_event(neighbour_events(evidence.patterns, evidence.patterns[i], events));
                return telling ? std::vector<std::string>{neighbour_event_words(evidence, *telling)}
                               : std::vector<std::string>();
            });
    }

    const Branches& branches_;
};

}  // namespace

std::string terminal_spaces(const Evidence& evidence, const ReportOptions& options, std::string_view filter,
                            const Branches& branches) {
    return Tables({evidence, options, options.style, filter}, branches).all();
}

}  // namespace kymo::view
