#include "view/spaces/gap_words.h"

#include "view/spaces/heavy_code.h"
#include "view/spaces/neighbour_events.h"
#include "view/spaces/space_words.h"

#include <fmt/format.h>

namespace kymo::view {

using namespace spacetime;

namespace {

constexpr std::size_t kMostParts = 3;
constexpr std::uint64_t kLeastPart = 20;  // of the gap: one in this many
constexpr double kFewEvents = 0.5;        // a gap

}  // namespace

PartName node_part_name(const SpaceSheet& sheet, NodeIndex node) {
    return [&sheet, node](std::uint32_t part) { return neighbour_name(sheet.evidence, part, node, true); };
}

PartName group_part_name(const SpaceSheet& sheet) {
    return [&sheet](std::uint32_t part) {
        return group_neighbour_name(sheet.evidence, part, true, sheet.style.unicode);
    };
}

std::vector<std::string> filled_words(const SpaceSheet& sheet, const LongGap& gap, const PartName& name) {
    const std::uint64_t length = gap.end - gap.begin;
    const auto is_much = [&](std::int64_t ns) {
        return ns > 0 && static_cast<std::uint64_t>(ns) * kLeastPart >= length;
    };
    // Most time first in both.
    std::vector<std::string> filled;
    for (std::size_t i = 0; i < gap.filled.size() && i < kMostParts; ++i) {
        if (i == 0 || is_much(gap.filled[i].ns)) {
            filled.push_back((i == 0 ? "filled by " : "") + name(gap.filled[i].node) + " " +
                             duration(sheet.style, gap.filled[i].ns));
        }
    }
    std::vector<std::string> waited;
    for (std::size_t i = 0; i < gap.waits.size() && i < kMostParts; ++i) {
        if (is_much(gap.waits[i].ns)) {
            waited.push_back((i == 0 ? "waited for " : "") +
                             wait_words(sheet.evidence.wait_targets[gap.waits[i].target]) + " " +
                             duration(sheet.style, gap.waits[i].ns));
        }
    }
    std::vector<std::string> ready;
    if (is_much(gap.terms.run_queue)) {
        ready.push_back("ready without a processor " + duration(sheet.style, gap.terms.run_queue));
    }
    punctuate(filled);
    punctuate(waited);
    return join_phrases(join_phrases(std::move(filled), std::move(waited)), std::move(ready));
}

std::vector<std::string> gap_event_words(const SpaceSheet& sheet, const LongGap& gap, const SpaceIntervals& interval,
                                         const std::vector<CounterIndex>& events) {
    std::vector<std::string> words;
    for (const CounterIndex event : events) {
        if (raw(event) >= gap.deltas.size() || raw(event) >= interval.gap_deltas.size()) {
            continue;
        }
        const double mean = interval.gaps.count == 0 ? 0
                                                     : static_cast<double>(event.in(interval.gap_deltas)) /
                                                           static_cast<double>(interval.gaps.count);
        if (event.in(gap.deltas) != 0 || mean >= kFewEvents) {
            words.push_back(fmt::format("{} {} (mean {})", event.in(sheet.evidence.run.counters),
                                        count(event.in(gap.deltas)), mean_words(mean)));
        }
    }
    punctuate(words);
    return words;
}

}  // namespace kymo::view
