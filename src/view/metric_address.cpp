#include "view/metric_address.h"

#include "findings/words.h"
#include "view/metrics.h"
#include "view/table.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

constexpr std::size_t kParts = 20;

std::int64_t time_in(const SpaceNode& node, std::uint64_t begin, std::uint64_t end) {
    std::int64_t ns = 0;
    for (std::size_t row = 0; row < node.rows.size(); ++row) {
        const std::uint64_t from = std::max(begin, node.rows.begin[row]);
        const std::uint64_t to = std::min(end, node.rows.end[row]);
        ns += from < to ? static_cast<std::int64_t>(to - from) : 0;
    }
    return ns;
}

// Down from the whole to the smallest space that holds at least half of what is around it.
NodeIndex space_of(const Evidence& evidence, std::uint64_t begin, std::uint64_t end) {
    std::vector<std::int64_t> times(evidence.nodes.size());
    for (const NodeIndex i : indices(evidence.nodes)) {
        i.in(times) =
            i.in(evidence.nodes).kind == SpaceKind::kFunction ? time_in(i.in(evidence.nodes), begin, end) : 0;
    }
    NodeIndex at;
    for (bool deeper = true; deeper;) {
        deeper = false;
        NodeIndex best;
        for (const NodeIndex i : indices(evidence.nodes)) {
            // Loops and iterations between two functions are passed over.
            NodeIndex around = i.in(evidence.nodes).parent;
            while (around != kNone && around.in(evidence.nodes).kind != SpaceKind::kFunction) {
                around = around.in(evidence.nodes).parent;
            }
            if (around == at && i.in(times) > 0 && (best == kNone || i.in(times) > best.in(times))) {
                best = i;
            }
        }
        if (best != kNone && (at == kNone || 2 * best.in(times) >= at.in(times))) {
            at = best;
            deeper = true;
        }
    }
    return at;
}

std::string shown_value(const Style& style, double value, const RunMetric& metric) {
    return metric_value(style, static_cast<std::uint64_t>(std::llround(value)), metric.unit);
}

Json json_aggregate(const RunMetric& metric) {
    const Aggregate all = metric.aggregate(ResourceLevel::kSystem, 0);
    Json json;
    json["unit"] = metric.unit;
    json["total"] = json_total(metric, all);
    json["total_is"] = rule_name(metric.rule());
    json["sum"] = all.sum;
    json["mean"] = all.mean;
    json["minimum"] = all.minimum;
    json["maximum"] = all.maximum;
    json["coverage"] = all.coverage();
    return json;
}

MetricAddress system_address(const RunMetric& metric) {
    return {metric.kind, ResourceLevel::kSystem, 0, metric.name};
}

}  // namespace

std::vector<CoursePart> course_with_code(const RunMetrics& run, const RunMetric& metric, const Evidence& evidence,
                                         std::size_t parts) {
    std::vector<CoursePart> course(parts);
    const auto length = static_cast<double>(run.end - run.begin);
    for (std::size_t i = 0; i < parts; ++i) {
        CoursePart& part = course[i];
        const auto first = i * metric.bins.size() / parts;
        const auto last = std::max(first + 1, (i + 1) * metric.bins.size() / parts);
        for (std::size_t bin = first; bin < std::min(last, metric.bins.size()); ++bin) {
            part.value = metric.type == MetricType::kCounter ? part.value + metric.bins[bin]
                                                             : std::max(part.value, metric.bins[bin]);
        }
        const double begin = length * static_cast<double>(i) / static_cast<double>(parts);
        const double end = length * static_cast<double>(i + 1) / static_cast<double>(parts);
        part.begin_s = begin / 1e9;
        part.end_s = end / 1e9;
        part.node = space_of(evidence, run.begin + static_cast<std::uint64_t>(begin),
                             run.begin + static_cast<std::uint64_t>(end));
    }
    return course;
}

std::optional<Error> why_unknown(const RunMetrics& run, const MetricAddress& address) {
    const RunMetric* metric = run.find(address.kind, address.metric);
    if (metric == nullptr) {
        std::string names;
        for (const RunMetric& each : run.metrics) {
            if (each.kind == address.kind) {
                names += (names.empty() ? "" : ", ") + each.name;
            }
        }
        return Error{ErrorKind::kNotFound,
                     fmt::format("no metric '{}' of a {}", address.metric, name_of(address.kind)),
                     names.empty() ? fmt::format("the recording has no metrics of {}s", name_of(address.kind))
                                   : "there are " + names};
    }
    if (metric->aggregate(address.level, address.number).objects != 0) {
        return std::nullopt;
    }
    std::set<std::uint64_t> numbers;
    for (const MetricOfObject& object : metric->objects) {
        if (address.level != ResourceLevel::kHost && object.is_all_of_host()) {
            continue;
        }
        numbers.insert(address.level == ResourceLevel::kProcess ? object.pid
                       : address.level == ResourceLevel::kHost  ? object.host
                                                                : object.number);
    }
    std::string list;
    for (const std::uint64_t number : numbers) {
        if (list.size() > 60) {
            list += ", …";
            break;
        }
        list += (list.empty() ? "" : ", ") + std::to_string(number);
    }
    const MetricAddress of_host{address.kind, ResourceLevel::kHost,
                                metric->objects.empty() ? 0 : metric->objects.front().host, address.metric};
    return Error{
        ErrorKind::kNotFound,
        fmt::format("no {} {} has '{}'", name_of(address.level, address.kind), address.number, address.metric),
        numbers.empty() ? fmt::format("it is known of whole hosts alone: kymo metrics REC {}", to_text(of_host))
                        : "there are " + list};
}

std::string terminal_addresses(const Style& style, const RunMetrics& run) {
    Table table;
    table.headings = {"total", "objects", "address"};
    for (const RunMetric& metric : run.metrics) {
        table.rows.push_back({{shown_total(style, metric, metric.aggregate(ResourceLevel::kSystem, 0), metric.unit)},
                              {count(static_cast<std::int64_t>(metric.objects.size())), Ink::kDim},
                              {to_text(system_address(metric)), Ink::kName}});
    }
    return table.rows.empty() ? "the recording has no metrics\n" : render(style, table, 0);
}

Json json_addresses(const RunMetrics& run) {
    Json all = Json::object();
    for (const RunMetric& metric : run.metrics) {
        all[to_text(system_address(metric))] = json_aggregate(metric);
    }
    return all;
}

std::string terminal_addressed(const Style& style, const RunMetrics& run, const MetricAddress& address,
                               const Evidence& evidence) {
    const RunMetric* metric = run.find(address.kind, address.metric);
    if (metric == nullptr) {
        return {};
    }
    const Aggregate all = metric->aggregate(ResourceLevel::kSystem, 0);
    const auto value = [&](std::uint64_t amount) { return metric_value(style, amount, metric->unit); };
    std::string out =
        paint(style, Ink::kHeading, to_text(address)) +
        fmt::format("  {}\n  {} of {}: mean {}, least {}, most {}\n", shown_total(style, *metric, all, metric->unit),
                    rule_name(metric->rule()), quantity(all.objects, name_of(address.kind)),
                    shown_value(style, all.mean, *metric), value(all.minimum), value(all.maximum));
    Table table;
    table.headings = {"from", "to", metric->type == MetricType::kCounter ? "change" : "value", "code space"};
    const auto seconds = [&](double s) { return Cell{fmt::format("{:.3f} s", s), Ink::kDim}; };
    for (const CoursePart& part : course_with_code(run, *metric, evidence, kParts)) {
        table.rows.push_back({seconds(part.begin_s),
                              seconds(part.end_s),
                              {shown_value(style, part.value, *metric)},
                              {part.node == kNone ? "" : findings::name(evidence, part.node), Ink::kName}});
    }
    return out + render(style, table);
}

Json json_addressed(const RunMetrics& run, const MetricAddress& address, const Evidence& evidence) {
    const RunMetric* metric = run.find(address.kind, address.metric);
    if (metric == nullptr) {
        return Json::object();
    }
    Json json = json_aggregate(*metric);
    json["course"] = Json::array();
    for (const CoursePart& part : course_with_code(run, *metric, evidence, kParts)) {
        Json each;
        each["begin_s"] = part.begin_s;
        each["end_s"] = part.end_s;
        each["value"] = part.value;
        each["space"] = part.node == kNone ? Json(nullptr) : Json(part.node.in(evidence.nodes).place.function);
        json["course"].push_back(std::move(each));
    }
    return json;
}

}  // namespace kymo::view
