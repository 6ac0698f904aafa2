#include "view/spaces/space_json.h"

#include "view/json_text.h"
#include "view/spaces/event_rates.h"
#include "view/spaces/medians.h"
#include "view/spaces/space_words.h"
#include "view/text.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace kymo::view {

using namespace spacetime;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostRows = 1000;        // written for each space
constexpr std::size_t kMostRowsOfGroup = 200;  // of same spaces, with events

// Nothing if cycles and instructions were not counted.
void add_rates(const Evidence& evidence, const EventRates& rates, const std::vector<std::int64_t>& deltas,
               Json& json) {
    if (!rates.has_per_cycle()) {
        return;
    }
    const auto number = [](std::optional<double> value) { return value ? Json(*value) : Json(); };
    json["instructions_per_cycle"] = number(rates.per_cycle(deltas));
    Json misses = Json::object();
    for (const CounterIndex event : rates.misses()) {
        misses[event.in(evidence.run.counters)] = number(rates.per_thousand_instructions(event, deltas));
    }
    json["misses_per_1000_instructions"] = std::move(misses);
}

Json waits_of(const Evidence& evidence, const std::vector<OccurrenceWait>& waits, std::size_t most) {
    Json list = Json::array();
    for (std::size_t i = 0; i < waits.size() && i < most; ++i) {
        const WaitTarget& target = evidence.wait_targets[waits[i].target];
        list.push_back({{"kind", wait_kind_key(target.kind)},
                        {"function", target.place.function},
                        {"file", target.place.file},
                        {"line", known_or_null(target.place.line)},
                        {"seconds", seconds(waits[i].ns)}});
    }
    return list;
}

// null for numbers that are not nodes.
Json id_of(NodeIndex node) {
    return node != kNone ? Json(raw(node)) : Json();
}

Json node_json(const Evidence& evidence, const EventRates& rates, NodeIndex id) {
    const SpaceNode& node = id.in(evidence.nodes);
    const std::int64_t processor = evidence.run.total.user + evidence.run.total.spinning + evidence.run.total.system;
    const std::int64_t own = node.total.user + node.total.spinning + node.total.system;
    Json json;
    json["id"] = raw(id);
    json["kind"] = kind_key(node.kind);
    json["name"] = space_name(node);
    json["place"] = json_place(node.place);
    json["path"] = node.path;
    json["parent"] = id_of(node.parent);
    json["weight"] = node.weight >= 0 ? Json(node.weight) : Json();
    json["time_share"] = processor > 0 ? Json(static_cast<double>(own) / static_cast<double>(processor)) : Json();
    json["occurrences"] = node.occurrences;
    if (node.exact_calls) {
        json["exact_calls"] = *node.exact_calls;
    }
    const auto interval = std::find_if(evidence.intervals.begin(), evidence.intervals.end(),
                                       [&](const SpaceIntervals& at) { return at.node == raw(id); });
    json["longest_gap_s"] = interval == evidence.intervals.end() ? Json() : Json(seconds(interval->gaps.longest));
    json["uncertain"] = false;
    json["role"] = node.role == Role::kMainLoop ? "main_loop" : node.role == Role::kPhase ? "phase" : "none";
    json["rounds"] = node.rounds;
    json["structure"] = node.structure;
    json["folded"] = node.folded;
    json["median_samples"] = node.median_samples;
    json["samples"] = node.samples;
    json["median_s"] = seconds(median_duration(node));
    json["mean_s"] =
        node.occurrences == 0 ? Json() : Json(seconds(node.durations.total) / static_cast<double>(node.occurrences));
    json["longest_s"] = seconds(node.durations.longest);
    json["threads"] = node.threads;
    json["terms"] = json_terms(node.total);
    json["waits"] = waits_of(evidence, node.waits, 10);
    json["events"] = json_events(evidence, node.deltas);
    add_rates(evidence, rates, node.deltas, json);
    return json;
}

Json heavy_json(const Evidence& evidence, const EventRates& rates, std::size_t index) {
    const HeavySpace& space = evidence.spaces[index];
    Json json;
    json["id"] = evidence.nodes.size() + index;
    json["kind"] = "pairs";
    json["place"] = json_place(space.place);
    json["weight"] = space.weight;
    json["time_share"] = space.time_share;
    json["time_share_low"] = space.time_low;
    json["time_share_high"] = space.time_high;
    json["stall"] = space.stall;
    json["occurrences"] = space.occurrences;
    json["longest_gap_s"] = seconds(space.longest_gap_ns);
    json["uncertain"] = space.uncertain;
    json["rule"] = rule_key(space.rule);
    json["instructions"] = static_cast<double>(space.instructions) / static_cast<double>(kInstruction);
    json["in"] = id_of(space.node);
    json["events"] = json_events(evidence, space.deltas);
    json["events_elsewhere"] = json_events(evidence, space.rest_deltas);
    add_rates(evidence, rates, space.deltas, json);
    return json;
}

}  // namespace

Json json_events(const Evidence& evidence, std::span<const std::int64_t> deltas) {
    Json events = Json::object();
    for (std::size_t i = 0; i < deltas.size() && i < evidence.run.counters.size(); ++i) {
        events[evidence.run.counters[i]] = deltas[i];
    }
    return events;
}

Json json_terms(const TimeTerms& terms) {
    return {{"user_s", seconds(terms.user)},       {"spinning_s", seconds(terms.spinning)},
            {"system_s", seconds(terms.system)},   {"run_queue_s", seconds(terms.run_queue)},
            {"waiting_s", seconds(terms.waiting)}, {"other_s", seconds(terms.other)}};
}

Json json_neighbour(const Evidence& evidence, std::uint32_t neighbour, NodeIndex node, bool is_before) {
    Json json;
    json["space"] = neighbour < evidence.nodes.size() ? Json(neighbour) : Json();
    json["name"] = neighbour_name(evidence, neighbour, node, is_before);
    return json;
}

Json json_place(const Place& place) {
    Json ranges = Json::array();
    for (const ByteRange& range : place.ranges) {
        ranges.push_back({range.begin, range.end});
    }
    constexpr const char* kDigits = "0123456789abcdef";
    std::string build_id;
    for (const char c : place.build_id) {
        build_id += kDigits[static_cast<unsigned char>(c) >> 4U];
        build_id += kDigits[static_cast<unsigned char>(c) & 0xFU];
    }
    return {{"function", place.function},
            {"file", place.file},
            {"line_begin", known_or_null(place.line_begin)},
            {"line_end", known_or_null(place.line_end)},
            {"module", place.module},
            {"ranges", std::move(ranges)},
            {"build_id", build_id}};
}

Json json_spaces(const Evidence& evidence) {
    const EventRates rates(evidence);
    Json list = Json::array();
    for (const NodeIndex i : indices(evidence.nodes)) {
        list.push_back(node_json(evidence, rates, i));
    }
    for (std::size_t i = 0; i < evidence.spaces.size(); ++i) {
        list.push_back(heavy_json(evidence, rates, i));
    }
    return list;
}

namespace {

// Another group by its index, or in words if it is not a group.
Json group_json(const Evidence& evidence, std::uint32_t group) {
    const bool is_group = group < evidence.same_spaces.size();
    return {{"group", is_group ? Json(group) : Json()},
            {"name", is_group                 ? ""
                     : group == kStreamEdge   ? "(end)"
                     : group == kAnyNeighbour ? "(any)"
                                              : "(elsewhere)"}};
}

// `name_of`: gives the object to which a part's time is added.
Json gap_json(const Evidence& evidence, const LongGap& gap, const std::function<Json(std::uint32_t)>& name_of) {
    Json filled = Json::array();
    for (const GapPart& part : gap.filled) {
        Json one = name_of(part.node);
        one["seconds"] = seconds(part.ns);
        filled.push_back(std::move(one));
    }
    return {{"at_s", seconds(gap.begin - evidence.run.begin)},
            {"length_s", seconds(gap.end - gap.begin)},
            {"thread", gap.thread},
            {"terms", json_terms(gap.terms)},
            {"waits", waits_of(evidence, gap.waits, 5)},
            {"filled", std::move(filled)},
            {"events", json_events(evidence, gap.deltas)}};
}

// All kept gaps, longest first; and sums over all gaps.
void add_gaps(const Evidence& evidence, const SpaceIntervals& interval,
              const std::function<Json(std::uint32_t)>& name_of, Json& json) {
    Json longest = Json::array();
    for (const LongGap& gap : interval.longest) {
        longest.push_back(gap_json(evidence, gap, name_of));
    }
    json["longest_gaps"] = std::move(longest);
    json["gap_terms"] = json_terms(interval.gap_terms);
    json["gap_events"] = json_events(evidence, interval.gap_deltas);
}

// One by one: the time, the event counts, and the gap before it, if known.
Json rows_json(const Evidence& evidence, const OccurrenceTable& rows) {
    Json list = Json::array();
    for (std::size_t row = 0; row < rows.size() && row < kMostRowsOfGroup; ++row) {
        const auto deltas = rows.deltas_of(row);
        Json one{{"thread", rows.thread[row]},
                 {"begin_s", seconds(rows.begin[row] - evidence.run.begin)},
                 {"end_s", seconds(rows.end[row] - evidence.run.begin)},
                 {"events", json_events(evidence, {deltas.begin(), deltas.end()})}};
        const bool is_next =
            row > 0 && rows.thread[row] == rows.thread[row - 1] && rows.order[row] == rows.order[row - 1] + 1;
        if (is_next) {
            const auto gap = rows.gap_deltas_of(row);
            one["gap_s"] = seconds(rows.begin[row] - rows.end[row - 1]);
            one["gap_events"] = json_events(evidence, {gap.begin(), gap.end()});
        }
        list.push_back(std::move(one));
    }
    return list;
}

Json life_json(const Evidence& evidence, const SameSpaces& group) {
    Json json;
    json["occurrences"] = group.life.occurrences;
    json["is_part"] = group.is_part;
    json["folded"] = group.life.folded;
    json["median_samples"] = group.life.median_samples;
    json["median_s"] = seconds(median_duration(group.life));
    json["longest_s"] = seconds(group.life.durations.longest);
    json["terms"] = json_terms(group.life.total);
    json["events"] = json_events(evidence, group.life.deltas);
    json["threads"] = group.life.threads;
    json["gaps"] = group.gaps.gaps.count;
    json["median_gap_s"] = seconds(group.gaps.median_gap_ns);
    json["longest_gap"] = Json();
    if (!group.gaps.longest.empty()) {
        json["longest_gap"] = gap_json(evidence, group.gaps.longest.front(),
                                       [&](std::uint32_t part) { return group_json(evidence, part); });
    }
    add_gaps(evidence, group.gaps, [&](std::uint32_t part) { return group_json(evidence, part); }, json);
    json["period_s"] = group.gaps.period ? Json(group.gaps.period->ns / 1e9) : Json();
    // Rows of groups that chance explains are not listed.
    json["rows"] = group.life.folded ? Json::array() : rows_json(evidence, group.life.rows);
    Json patterns = Json::array();
    for (const CodePattern& pattern : group.patterns) {
        patterns.push_back({{"before", group_json(evidence, pattern.before)},
                            {"after", group_json(evidence, pattern.after)},
                            {"count", pattern.durations.count},
                            {"seconds", seconds(pattern.durations.total)},
                            {"median_s", seconds(median_duration(group.life, pattern))},
                            {"longest_s", seconds(pattern.durations.longest)},
                            {"events", json_events(evidence, pattern.deltas)}});
    }
    json["patterns"] = std::move(patterns);
    return json;
}

}  // namespace

Json json_same_spaces(const Evidence& evidence, const Branches& branches) {
    Json list = Json::array();
    for (const SameSpaces& group : evidence.same_spaces) {
        Json members = Json::array();
        for (const std::uint32_t member : group.members) {
            members.push_back(evidence.nodes.size() + member);
        }
        list.push_back({{"id", list.size()},
                        {"members", std::move(members)},
                        {"overlap", group.overlap},
                        {"weight", group.weight},
                        {"time_share", group.time_share},
                        {"occurrences", group.occurrences},
                        {"in", id_of(group.node)},
                        {"events", json_events(evidence, group.deltas)},
                        {"in_time", life_json(evidence, group)}});
        if (list.size() <= branches.of_interest.size() && branches.instructions != 0) {
            const ExecutedPart& part = branches.of_interest[list.size() - 1];
            list.back()["executed"] = {
                {"share", static_cast<double>(part.instructions) / static_cast<double>(branches.instructions)},
                {"instructions", part.instructions},
                {"judged", part.judged},
                {"mispredicted", part.mispredicted}};
        }
    }
    return list;
}

Json json_intervals(const Evidence& evidence) {
    Json list = Json::array();
    for (const SpaceIntervals& interval : evidence.intervals) {
        const NodeIndex id(interval.node);
        const SpaceNode& node = id.in(evidence.nodes);
        Json json;
        json["space"] = interval.node;
        Json at = Json::array();
        Json gaps = Json::array();
        for (std::size_t row = 0; row < node.rows.size() && row < kMostRows; ++row) {
            at.push_back({{"thread", node.rows.thread[row]},
                          {"begin_s", seconds(node.rows.begin[row] - evidence.run.begin)},
                          {"end_s", seconds(node.rows.end[row] - evidence.run.begin)}});
            const bool is_next = row > 0 && node.rows.thread[row] == node.rows.thread[row - 1] &&
                                 node.rows.order[row] == node.rows.order[row - 1] + 1;
            if (is_next) {
                gaps.push_back(seconds(node.rows.begin[row] - node.rows.end[row - 1]));
            }
        }
        json["occurrences"] = std::move(at);
        json["gap_s"] = std::move(gaps);
        json["gaps"] = interval.gaps.count;
        json["median_gap_s"] = seconds(interval.median_gap_ns);
        json["longest"] = Json();
        if (!interval.longest.empty()) {
            json["longest"] = gap_json(evidence, interval.longest.front(),
                                       [&](std::uint32_t part) { return json_neighbour(evidence, part, id, true); });
        }
        add_gaps(
            evidence, interval, [&](std::uint32_t part) { return json_neighbour(evidence, part, id, true); }, json);
        json["period_s"] = interval.period ? Json(interval.period->ns / 1e9) : Json();
        list.push_back(std::move(json));
    }
    return list;
}

Json json_patterns(const Evidence& evidence) {
    Json list = Json::array();
    for (const CodePattern& pattern : evidence.patterns) {
        const NodeIndex node(pattern.node);
        list.push_back({{"before", json_neighbour(evidence, pattern.before, node, true)},
                        {"space", pattern.node},
                        {"after", json_neighbour(evidence, pattern.after, node, false)},
                        {"count", pattern.durations.count},
                        {"mean_s", seconds(pattern.durations.total) /
                                       static_cast<double>(std::max<std::uint64_t>(pattern.durations.count, 1))},
                        {"median_s", seconds(median_duration(node.in(evidence.nodes), pattern))},
                        {"longest_s", seconds(pattern.durations.longest)},
                        {"terms", json_terms(pattern.terms)},
                        {"events", json_events(evidence, pattern.deltas)}});
    }
    return list;
}

}  // namespace kymo::view
