#include "view/page/heavy.h"

#include "view/page/tables.h"
#include "view/spaces/event_rates.h"
#include "view/spaces/heavy_code.h"
#include "view/spaces/medians.h"
#include "view/spaces/space_words.h"

#include <algorithm>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostOfGroup = 500;  // occurrences

std::string shown_name(const Place& place) {
    return shown_text(place.function.empty() ? place.module : place.function);
}

Json code_json(const HeavySpace& space) {
    return {{"name", shown_name(space.place)}, {"lines", shown_text(place_lines(space.place))},
            {"uncertain", space.uncertain},    {"weight", space.weight},
            {"share", space.time_share},       {"low", space.time_low},
            {"high", space.time_high},         {"stall", space.stall},
            {"pairs", space.occurrences}};
}

Json number_json(std::optional<double> value) {
    return value ? Json(*value) : Json(nullptr);
}

struct Window {
    const Profile& profile;
    TimeRange range;  // since the run's begin

    std::uint64_t since(std::uint64_t time) const { return time - std::min(time, profile.begin); }
    bool holds(std::uint64_t begin, std::uint64_t end) const {
        return since(end) > range.begin && since(begin) < range.end;
    }
};

Json gaps_json(const Evidence& evidence, const SameSpaces& group, const Window& window) {
    Json list = Json::array();
    for (const LongGap& gap : group.gaps.longest) {
        if (!window.holds(gap.begin, gap.end)) {
            continue;
        }
        Json filled = Json::array();
        for (const GapPart& part : gap.filled) {
            const bool is_group = part.node < evidence.same_spaces.size();
            filled.push_back({is_group ? Json(part.node) : Json(nullptr), part.ns});
        }
        Json waits = Json::array();
        for (const OccurrenceWait& wait : gap.waits) {
            waits.push_back({shown_text(wait_words(evidence.wait_targets[wait.target])), wait.ns});
        }
        list.push_back({{"thread", gap.thread},
                        {"begin", window.since(gap.begin)},
                        {"length", gap.end - gap.begin},
                        {"ready", gap.terms.run_queue},
                        {"filled", std::move(filled)},
                        {"waits", std::move(waits)},
                        {"events", gap.deltas}});
    }
    return list;
}

Json group_json(const Evidence& evidence, const EventRates& rates, const SameSpaces& group, const Window& window) {
    Json json = code_json(evidence.spaces[group.members.front()]);
    const bool is_one = group.members.size() == 1;
    json["weight"] = group.weight;
    json["share"] = group.time_share;
    json["low"] = is_one ? json["low"] : Json(nullptr);
    json["high"] = is_one ? json["high"] : Json(nullptr);
    json["stall"] = group.weight > 0 ? group.time_share / group.weight : 0;
    json["pairs"] = group.occurrences;
    const NodeIndex own = own_code_around(evidence, group);
    json["around"] = own != kNone ? Json({{"name", shown_name(own.in(evidence.nodes).place)},
                                          {"lines", shown_text(place_lines(own.in(evidence.nodes).place))}})
                                  : Json(nullptr);
    json["overlap"] = group.overlap;
    Json members = Json::array();
    for (std::size_t i = 0; !is_one && i < group.members.size(); ++i) {
        members.push_back(code_json(evidence.spaces[group.members[i]]));
    }
    json["members"] = std::move(members);
    Json events = Json::array();
    const TimeTerms terms = user_time(evidence, group);
    for (const CounterIndex event : rates.events()) {
        events.push_back({number_json(rates.rate(event, terms, group.deltas)),
                          number_json(rates.rate_elsewhere(event, terms, group.deltas))});
    }
    json["rates"] = std::move(events);
    json["space"] = group.node != kNone ? std::int64_t{raw(group.node)} : -1;
    json["times"] = group.life.occurrences;
    json["folded"] = group.life.folded;
    json["median"] = median_duration(group.life);
    json["longest"] = group.life.durations.longest;
    json["gap_count"] = group.gaps.gaps.count;
    json["gap"] = group.gaps.median_gap_ns;
    json["gap_events"] = group.gaps.gap_deltas;
    json["gaps"] = gaps_json(evidence, group, window);
    return json;
}

// The kept occurrences, or an even part of them.
void add_rows(const Evidence& evidence, const Window& window, Blob& blob) {
    std::vector<std::uint64_t> first{0};
    std::vector<std::uint64_t> begin;
    std::vector<std::uint64_t> length;
    std::vector<std::uint32_t> thread;
    for (const SameSpaces& group : evidence.same_spaces) {
        const OccurrenceTable& rows = group.life.rows;
        const std::size_t every = std::max<std::size_t>(1, (rows.size() + kMostOfGroup - 1) / kMostOfGroup);
        for (std::size_t row = 0; row < rows.size(); row += every) {
            if (window.holds(rows.begin[row], rows.end[row])) {
                begin.push_back(window.since(rows.begin[row]));
                length.push_back(rows.duration(row));
                thread.push_back(rows.thread[row]);
            }
        }
        first.push_back(begin.size());
    }
    blob.deltas("heavy.first", first);
    blob.deltas("heavy.begin", begin);
    blob.varints("heavy.length", length);
    blob.varints("heavy.thread", thread);
}

}  // namespace

void write_heavy(const Evidence& evidence, const Profile& profile, const TimeRange& range, Blob& blob) {
    const EventRates rates(evidence);
    const Window window{profile, range};
    Json names = Json::array();
    for (const CounterIndex event : rates.events()) {
        names.push_back(shown_text(event.in(evidence.run.counters)));
    }
    Json groups = Json::array();
    for (const SameSpaces& group : evidence.same_spaces) {
        groups.push_back(group_json(evidence, rates, group, window));
    }
    blob.json["heavy"] = {{"unit", rates.unit()},
                          {"events", std::move(names)},
                          {"order", groups_by_weight(evidence, {})},
                          {"groups", std::move(groups)}};
    add_rows(evidence, window, blob);
}

}  // namespace kymo::view
