#include "view/metrics.h"

#include "base/channels/kind.h"
#include "view/table.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

const char* type_name(MetricType type) {
    switch (type) {
        case MetricType::kGauge:
            return "gauge";
        case MetricType::kMaximum:
            return "maximum";
        case MetricType::kCounter:
            break;
    }
    return "counter";
}

const char* origin_name(MetricOrigin origin) {
    switch (origin) {
        case MetricOrigin::kStandard:
            return "standard";
        case MetricOrigin::kDescription:
            return "description";
        case MetricOrigin::kLibrary:
            return "library";
        case MetricOrigin::kProgram:
            break;
    }
    return "program";
}

// The sum of the bins of each part of the run.
std::string course_of_bins(const Style& style, const std::vector<double>& bins) {
    constexpr std::size_t kSigns = 20;
    std::vector<double> heights(kSigns, 0);
    for (std::size_t i = 0; i < bins.size(); ++i) {
        heights[i * kSigns / bins.size()] += bins[i];
    }
    return course(style, heights);
}

const char* object_name(const RunMetric& metric) {
    const bool is_of_hosts = !metric.objects.empty() && metric.objects.front().is_all_of_host();
    return is_of_hosts                           ? "host"
           : metric.kind == Resource::kTask      ? "thread"
           : metric.kind == Resource::kProcessor ? "processor"
                                                 : "channel";
}

// The objects of the least and the most: "4 threads", "1 process".
std::string parts_text(const RunMetric& metric, std::size_t parts) {
    return metric.per == ResourceLevel::kProcess  ? quantity(parts, "process", "processes")
           : metric.per == ResourceLevel::kHost   ? quantity(parts, "host")
           : metric.per == ResourceLevel::kSystem ? "the system"
                                                  : quantity(parts, object_name(metric));
}

bool is_shown(const RunMetric& metric) {
    if (metric.origin != MetricOrigin::kStandard) {
        // A description's helpers are named after their metric.
        return metric.origin != MetricOrigin::kDescription || metric.name.find('.') == std::string::npos;
    }
    // For the ring's hosts all requested metrics; there are no others.
    const bool is_of_hosts =
        !metric.objects.empty() && metric.objects.front().is_all_of_host() && metric.total() != 0;
    return is_of_hosts || (metric.kind == Resource::kChannel && !metric.of_ends) ||
           (metric.kind == Resource::kProcessor &&
            (metric.name == "busy" || metric.name == "run-delay" || metric.name == "io-wait" ||
             metric.name == "steal") &&
            metric.total() != 0);
}

Json number(std::uint64_t value, MetricType type) {
    // A gauge below zero: a subtraction from 0 wrapped around.
    return type == MetricType::kGauge ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

Json json_object(const RunMetrics& run, const RunMetric& metric, const MetricOfObject& object) {
    Json json;
    if (metric.kind != Resource::kProcessor) {
        json["pid"] = object.pid;
        json["rank"] = object.rank ? Json(*object.rank) : Json(nullptr);
    }
    json["number"] = object.is_all_of_host() ? Json(nullptr) : Json(object.number);
    if (metric.kind == Resource::kChannel) {
        json["communicator"] = object.key[0];
        json["peer"] = object.key[1];
        json["direction"] = direction_name(object.key[2]);
    }
    json["name"] = object.name;
    json["host"] = object.host < run.hosts.size() ? run.hosts[object.host].name : "";
    json["value"] = number(object.value, metric.type);
    return json;
}

// The objects of the total, if its rule is not the type's own: "  mean of 4 threads".
std::string rule_text(const RunMetric& metric) {
    const MetricTotal usual = metric.type == MetricType::kMaximum ? MetricTotal::kMaximum : MetricTotal::kSum;
    return metric.rule() == usual ? std::string()
                                  : fmt::format("  {} of {}", rule_name(metric.rule()),
                                                quantity(metric.objects.size(), object_name(metric)));
}

}  // namespace

const char* rule_name(MetricTotal rule) {
    constexpr const char* kNames[] = {"total", "sum", "mean", "minimum", "maximum"};
    return kNames[static_cast<std::size_t>(rule)];
}

std::string shown_total(const Style& style, const RunMetric& metric, const Aggregate& some, std::string_view unit) {
    const bool has_places = metric.rule() == MetricTotal::kMean && unit != "ns" && some.mean != std::floor(some.mean);
    if (!has_places) {
        return metric_value(style, metric.total_of(some), unit);
    }
    return fmt::format("{:.2f}{}{}", some.mean, unit.empty() ? "" : " ", unit);
}

Json json_total(const RunMetric& metric, const Aggregate& some) {
    if (metric.rule() == MetricTotal::kMean && some.mean != std::floor(some.mean)) {
        return some.mean;
    }
    return number(metric.total_of(some), metric.type);
}

Json json_parts(const RunMetrics& run, const RunMetric& metric) {
    Json values = Json::object();
    for (const RunMetric::Part& part : metric.parts()) {
        std::string name = metric.per == ResourceLevel::kHost && part.number < run.hosts.size()
                               ? run.hosts[part.number].name
                               : std::to_string(part.number);
        for (int again = 2; values.contains(name); ++again) {  // a thread id that was used again
            name = fmt::format("{} ({})", part.number, again);
        }
        values[name] = json_total(metric, part.figures);
    }
    return {{"level", name_of(metric.per, metric.kind)}, {"values", std::move(values)}};
}

const char* direction_name(std::uint64_t direction) {
    constexpr const char* kNames[] = {"send", "receive", "collective", "one-sided", "read", "write"};
    return is_end_direction(direction)     ? kNames[receives(direction) ? 1 : 0]
           : direction < std::size(kNames) ? kNames[direction]
                                           : "other";
}

std::string metric_value(const Style& style, std::uint64_t value, std::string_view unit) {
    if (unit == "ns") {
        return duration(style, static_cast<std::int64_t>(value));
    }
    const std::string text = count(static_cast<std::int64_t>(value));
    return unit.empty() ? text : text + " " + std::string(unit);
}

std::string terminal_metrics(const Style& style, const RunMetrics& run, std::size_t top, bool only_programs) {
    Table table;
    table.headings = {"total", "least", "most", "of", "over the run", "metric"};
    std::size_t left_out = 0;
    for (const RunMetric& metric : run.metrics) {
        if (!is_shown(metric) || (only_programs && metric.origin == MetricOrigin::kStandard)) {
            continue;
        }
        if (table.rows.size() == 2 * top) {
            ++left_out;
            continue;
        }
        const Aggregate all = metric.aggregate(ResourceLevel::kSystem, 0);
        const std::vector<RunMetric::Part> parts = metric.parts();
        // The unit once a row, except for times, which have one each: names need the room.
        const auto value = [&](const RunMetric::Part& part) {
            return Cell{shown_total(style, metric, part.figures, metric.unit == "ns" ? metric.unit : "")};
        };
        const std::string of = metric.kind == Resource::kTask ? "" : std::string(name_of(metric.kind)) + " ";
        table.rows.push_back(
            {{shown_total(style, metric, all, metric.unit)},
             value(parts.back()),
             value(parts.front()),
             {parts_text(metric, parts.size()), Ink::kDim},
             {course_of_bins(style, metric.bins), Ink::kWarm},
             {of + metric.name, Ink::kName},
             {rule_text(metric) + (metric.description.empty() || metric.origin == MetricOrigin::kStandard
                                       ? std::string()
                                       : "  " + metric.description),
              Ink::kDim}});
    }
    if (table.rows.empty()) {
        return {};
    }
    std::string out = "\n" + paint(style, Ink::kHeading, "Metrics") + "  " +
                      paint(style, Ink::kDim, "counted by the program, by descriptions, and on the host") + "\n";
    out += render(style, table);
    if (left_out != 0) {
        out += fmt::format("  and {} more (--top)\n", left_out);
    }
    return out;
}

Json json_metrics(const RunMetrics& run) {
    Json all = Json::array();
    for (const RunMetric& metric : run.metrics) {
        if (metric.of_ends) {
            continue;  // among the channels (channels.h); here there would be two of one name
        }
        const Aggregate total = metric.aggregate(ResourceLevel::kSystem, 0);
        Json json;
        json["name"] = metric.name;
        json["kind"] = name_of(metric.kind);
        json["unit"] = metric.unit;
        json["type"] = type_name(metric.type);
        json["origin"] = origin_name(metric.origin);
        json["description"] = metric.description;
        json["total"] = json_total(metric, total);
        json["total_is"] = rule_name(metric.rule());
        json["sum"] = number(total.sum, metric.type);
        json["mean"] = total.mean;
        json["minimum"] = number(total.minimum, metric.type);
        json["maximum"] = number(total.maximum, metric.type);
        json["coverage"] = total.coverage();
        if (metric.per != ResourceLevel::kObject) {
            json["per"] = json_parts(run, metric);
        }
        json["objects"] = Json::array();
        for (const MetricOfObject& object : metric.objects) {
            json["objects"].push_back(json_object(run, metric, object));
        }
        json["bin_s"] = run.end > run.begin
                            ? static_cast<double>(run.end - run.begin) / 1e9 / static_cast<double>(kMetricBins)
                            : 0.0;
        json["bins"] = metric.bins;
        all.push_back(std::move(json));
    }
    return all;
}

}  // namespace kymo::view
