// Gaps, whole: of each kept piece of code and of each group of same spaces the longest ones, one by one.
#include "view/spaces/event_rates.h"
#include "view/spaces/gap_words.h"
#include "view/spaces/heavy_code.h"
#include "view/spaces/space_words.h"
#include "view/spaces/whole.h"

#include <fmt/format.h>

namespace kymo::view {

using namespace spacetime;

namespace {

constexpr std::size_t kMostGaps = 8;

class WholeGaps {
  public:
    explicit WholeGaps(SpaceSheet& sheet) : sheet_(sheet), events_(EventRates(sheet.evidence).events()) {}

    void of_nodes() {
        const std::vector<std::size_t> order = sheet_.gaps_by_length();
        const std::size_t shown = std::min(order.size(), sheet_.options.top);
        for (std::size_t i = 0; i < shown; ++i) {
            const SpaceIntervals& interval = sheet_.evidence.intervals[order[i]];
            const NodeIndex index(interval.node);
            const SpaceNode& node = sheet_.space_at(index);
            of(telling_name(sheet_.evidence, index) + "  " + place_lines(node.place, sheet_.style.unicode), interval,
               node_part_name(sheet_, index));
        }
        is_any_ = is_any_ || shown != 0;
        sheet_.more(shown, order.size());
    }

    void of_groups() {
        std::vector<std::uint32_t> order = groups_by_weight(sheet_.evidence, sheet_.filter);
        std::erase_if(order, [&](std::uint32_t i) {
            const SameSpaces& group = sheet_.evidence.same_spaces[i];
            return group.gaps.gaps.count < 2 || !sheet_.is_seen(group.life);
        });
        const std::size_t shown = std::min(order.size(), sheet_.options.top);
        for (std::size_t i = 0; i < shown; ++i) {
            const SameSpaces& group = sheet_.evidence.same_spaces[order[i]];
            of("heavy code " + group_name(sheet_.evidence, group, sheet_.style.unicode), group.gaps,
               group_part_name(sheet_));
        }
        is_any_ = is_any_ || shown != 0;
        sheet_.more(shown, order.size());
    }

    bool is_any() const { return is_any_; }

  private:
    void of(const std::string& name, const SpaceIntervals& interval, const PartName& part_name) {
        const std::string head = "Gaps of " + name;
        sheet_.out +=
            "\n" + paint(sheet_.style, Ink::kHeading, cut_end(sheet_.style, head, sheet_.style.width)) + "\n";
        sheet_.out += paint(
            sheet_.style, Ink::kDim,
            wrap(sheet_.style,
                 fmt::format(
                     "{}, median {}; {}", quantity(interval.gaps.count, "gap"), sheet_.time(interval.median_gap_ns),
                     interval.period ? "a period of " + sheet_.time(static_cast<std::uint64_t>(interval.period->ns))
                                     : std::string("no period")),
                 2, 4));
        Table table;
        table.headings = {"at", "length", "thread, and below what was there instead"};
        for (std::size_t i = 0; i < interval.longest.size() && i < kMostGaps; ++i) {
            const LongGap& gap = interval.longest[i];
            table.rows.push_back({{sheet_.moment(gap.begin)},
                                  {sheet_.time(gap.end - gap.begin)},
                                  {sheet_.thread_name(gap.thread), Ink::kName}});
            table.notes.push_back(
                join_phrases(filled_words(sheet_, gap, part_name), gap_event_words(sheet_, gap, interval, events_)));
        }
        sheet_.out += render(sheet_.style, table);
    }

    SpaceSheet& sheet_;
    std::vector<CounterIndex> events_;
    bool is_any_ = false;
};

}  // namespace

void whole_gaps(SpaceSheet& sheet) {
    WholeGaps gaps(sheet);
    gaps.of_nodes();
    gaps.of_groups();
    if (!gaps.is_any()) {
        sheet.heading("Gaps", "none: no piece of code is seen three times in one thread");
    }
}

}  // namespace kymo::view
