// Heavy code, whole: groups of same spaces with their members, their events here and elsewhere, and their lives in
// time.
#include "view/spaces/code_over_time.h"
#include "view/spaces/event_rates.h"
#include "view/spaces/event_rows.h"
#include "view/spaces/gap_words.h"
#include "view/spaces/heavy_code.h"
#include "view/spaces/medians.h"
#include "view/spaces/whole.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::view {

using namespace spacetime;

namespace {

std::string interval_words(const Style& style, const HeavySpace& space) {
    return fmt::format("{:.1f}{}{:.1f}", space.time_low * 100, style.unicode ? "–" : "-", space.time_high * 100);
}

Cell stall_cell(double stall) {
    return {fmt::format("{:.1f}", stall), stall >= 2 ? Ink::kHot : Ink::kPlain};
}

std::vector<Cell> group_row(const SpaceSheet& sheet, const SameSpaces& group) {
    const HeavySpace& first = sheet.evidence.spaces[group.members.front()];
    const bool is_one = group.members.size() == 1;
    const std::string dot(signs(sheet.style).dot);
    std::vector<Cell> cells = {{percent(group.weight)},
                               {percent(group.time_share)},
                               {is_one ? interval_words(sheet.style, first) : dot},
                               stall_cell(group.weight > 0 ? group.time_share / group.weight : 0),
                               {count(static_cast<std::int64_t>(group.occurrences))},
                               {is_one ? dot : fmt::format("{} {:.0f}%", group.members.size(), group.overlap * 100)}};
    sheet.add_code(cells, first);
    return cells;
}

std::vector<Cell> member_row(const SpaceSheet& sheet, const HeavySpace& space) {
    std::vector<Cell> cells = {{percent(space.weight), Ink::kDim},
                               {percent(space.time_share), Ink::kDim},
                               {interval_words(sheet.style, space), Ink::kDim},
                               {fmt::format("{:.1f}", space.stall), Ink::kDim},
                               {count(static_cast<std::int64_t>(space.occurrences)), Ink::kDim},
                               {std::string()},
                               {"  = ", Ink::kDim}};
    sheet.add_code(cells, space);
    return cells;
}

void groups_and_members(SpaceSheet& sheet, const std::vector<std::uint32_t>& order) {
    sheet.heading("Heavy code",
                  "weight: instructions times pairs of samples; stall: time by weight; alike: same spaces, how far "
                  "they overlap");
    Table table;
    table.headings = {"weight", "time", "95 % of time", "stall", "pairs", "alike", "code"};
    const std::size_t shown = std::min(order.size(), sheet.options.top);
    for (std::size_t i = 0; i < shown; ++i) {
        const SameSpaces& group = sheet.evidence.same_spaces[order[i]];
        table.rows.push_back(group_row(sheet, group));
        for (std::size_t member = 0; group.members.size() > 1 && member < group.members.size(); ++member) {
            table.rows.push_back(member_row(sheet, sheet.evidence.spaces[group.members[member]]));
        }
    }
    sheet.out += render(sheet.style, table);
    sheet.more(shown, order.size());
}

void events_here_and_elsewhere(SpaceSheet& sheet, const std::vector<std::uint32_t>& order) {
    const Evidence& evidence = sheet.evidence;
    const EventRates rates(evidence);
    if (rates.events().empty() && !rates.has_per_cycle()) {
        return;
    }
    sheet.heading("Events of heavy code", rates.unit() + ": here, in the rest of the program, and how many times");
    EventRows rows(sheet, rates, "code");
    const std::size_t shown = std::min(order.size(), sheet.options.top);
    for (std::size_t i = 0; i < shown; ++i) {
        const SameSpaces& group = evidence.same_spaces[order[i]];
        std::vector<Cell> code;
        sheet.add_code(code, evidence.spaces[group.members.front()]);
        rows.add(std::move(code), user_time(evidence, group), group.deltas);
    }
    sheet.out += rows.text();
    sheet.more(shown, order.size());
}

void lives(SpaceSheet& sheet, std::vector<std::uint32_t> order) {
    const Evidence& evidence = sheet.evidence;
    std::erase_if(order, [&](std::uint32_t i) { return evidence.same_spaces[i].life.occurrences == 0; });
    if (order.empty()) {
        return;
    }
    sheet.heading("Heavy code in time", "occurrences and how long they are; gaps, the longest and when it was");
    sheet.table(
        {"times", "median", "longest", "gaps", "median", "longest", "at", "code"}, order,
        [&](std::uint32_t i) {
            const SameSpaces& group = evidence.same_spaces[i];
            const SpaceIntervals& gaps = group.gaps;
            const bool has_gaps = gaps.gaps.count != 0;
            const std::string dot(signs(sheet.style).dot);
            std::vector<Cell> cells = {
                {count(static_cast<std::int64_t>(group.life.occurrences))},
                {group.life.folded ? std::string("short") : sheet.time(median_duration(group.life))},
                {sheet.time(group.life.durations.longest)},
                {count(static_cast<std::int64_t>(gaps.gaps.count))},
                {has_gaps ? sheet.time(gaps.median_gap_ns) : dot},
                {has_gaps ? sheet.time(gaps.gaps.longest) : dot},
                {gaps.longest.empty() ? dot : sheet.moment(gaps.longest.front().begin)}};
            sheet.add_code(cells, evidence.spaces[group.members.front()]);
            return cells;
        },
        [&](std::uint32_t i) {
            const SpaceIntervals& gaps = evidence.same_spaces[i].gaps;
            return gaps.longest.empty() || !sheet.is_seen(evidence.same_spaces[i].life)
                       ? std::vector<std::string>()
                       : filled_words(sheet, gaps.longest.front(), group_part_name(sheet));
        });
}

}  // namespace

void whole_spaces(SpaceSheet& sheet) {
    code_over_time(sheet);
    const std::vector<std::uint32_t> order = groups_by_weight(sheet.evidence, sheet.filter);
    if (order.empty()) {
        sheet.heading("Heavy code", "none: no code space has more than the asked share of the weight");
        events_by_code(sheet);
        return;
    }
    groups_and_members(sheet, order);
    events_here_and_elsewhere(sheet, order);
    lives(sheet, order);
    events_by_code(sheet);
}

}  // namespace kymo::view
