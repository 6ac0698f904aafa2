#include "live/host_view.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace kymo::live {
namespace {

using host::LiveChannel;
using host::LiveMetric;
using host::LiveProcess;
using host::LiveProcessor;
using host::LiveTask;
using host::LiveView;
using host::TaskRates;
using view::Ink;

// The first rows of a list, and a line with the number of the others.
template <typename Each, typename MakeRow>
void add_rows(std::vector<HostRow>& rows, const std::vector<Each>& list, std::size_t most, const MakeRow& make) {
    for (std::size_t i = 0; i < std::min(list.size(), most); ++i) {
        make(list[i]);
    }
    if (list.size() > most) {
        rows.push_back({RowsLeftOut{list.size() - most}});
    }
}

HostTable processors(const std::vector<LiveProcessor>& list, const HostShown& shown) {
    HostTable table{"Processors", kProcessorColumns, {}};
    add_rows(table.rows, list, shown.rows,
             [&table](const LiveProcessor& each) { table.rows.push_back({each, fmt::format("  {}", each.number)}); });
    return table;
}

// Each with its threads, if there are several.
HostTable programs(std::vector<LiveProcess> list, const HostShown& shown) {
    const auto by = [&shown](const auto& a, const auto& b) {
        return sort_value(a.rates, shown.sort) > sort_value(b.rates, shown.sort);
    };
    HostTable table{fmt::format("Programs  by {}", name_of(shown.sort)), kThreadColumns, {}};
    if (list.empty()) {
        table.columns = {};
        table.rows = {{{}, "  none that can be seen: start one with kymo measure, with kymo record --live,"},
                      {{}, "  or one that uses kymo/metrics.h with kymo record"}};
        return table;
    }
    std::stable_sort(list.begin(), list.end(), by);
    add_rows(table.rows, list, shown.rows, [&](const LiveProcess& each) {
        table.rows.push_back(
            {each.rates,
             fmt::format("  {} {}  {}{}", each.program, each.pid, view::quantity(each.tasks.size(), "thread"),
                         each.has_ended ? ", ended" : ""),
             Ink::kName});
        if (!shown.threads || each.tasks.size() < 2) {
            return;
        }
        std::vector<LiveTask> tasks = each.tasks;
        std::stable_sort(tasks.begin(), tasks.end(), by);
        add_rows(table.rows, tasks, shown.rows, [&table](const LiveTask& task) {
            table.rows.push_back({task.rates, fmt::format("    {} {}", task.name, task.tid)});
        });
    });
    return table;
}

HostTable channels(const std::vector<LiveChannel>& list, const HostShown& shown) {
    HostTable table{"Channels  by time inside calls", kChannelColumns, {}};
    add_rows(table.rows, list, shown.rows,
             [&table](const LiveChannel& each) { table.rows.push_back({each, channel_text(each)}); });
    return table;
}

HostTable metrics(const std::vector<LiveMetric>& list, const HostShown& shown) {
    HostTable table{"Metrics", kMetricColumns, {}};
    add_rows(table.rows, list, shown.rows, [&table](const LiveMetric& each) {
        const std::string unit = each.unit.empty() || each.unit == "ns" ? "" : " (" + each.unit + ")";
        table.rows.push_back({each, fmt::format("  {}{}  {} {}", each.name, unit, each.program, each.pid)});
    });
    return table;
}

nlohmann::ordered_json to_json(const TaskRates& rates) {
    return {{"user_share", rates.user}, {"system_share", rates.system},     {"lock_wait_share", rates.lock_wait},
            {"wait_share", rates.wait}, {"switches_per_s", rates.switches}, {"faults_per_s", rates.faults}};
}

}  // namespace

std::vector<std::string> host_lines(const view::Style& style, const LiveView& view, const HostShown& shown) {
    Lines lines(style);
    if (shown.processors && !view.processors.empty()) {
        draw(lines, processors(view.processors, shown));
    }
    draw(lines, programs(view.processes, shown));
    if (shown.channels && !view.channels.empty()) {
        draw(lines, channels(view.channels, shown));
    }
    if (shown.metrics && !view.metrics.empty()) {
        draw(lines, metrics(view.metrics, shown));
    }
    draw_missing(lines, view.refused, view.unreadable);
    return lines.take();
}

nlohmann::ordered_json host_json(const LiveView& view) {
    using Json = nlohmann::ordered_json;
    Json json{{"seconds", view.seconds}};
    json["processors"] = Json::array();
    for (const LiveProcessor& each : view.processors) {
        json["processors"].push_back({{"number", each.number},
                                      {"user_share", each.user},
                                      {"system_share", each.system},
                                      {"steal_share", each.steal},
                                      {"idle_share", each.idle},
                                      {"queued_tasks", each.queue}});
    }
    json["processes"] = Json::array();
    for (const LiveProcess& each : view.processes) {
        Json process{{"pid", each.pid}, {"program", each.program}, {"ended", each.has_ended}};
        process.update(to_json(each.rates));
        process["threads"] = Json::array();
        for (const LiveTask& task : each.tasks) {
            Json thread{{"tid", task.tid}, {"name", task.name}};
            thread.update(to_json(task.rates));
            process["threads"].push_back(std::move(thread));
        }
        json["processes"].push_back(std::move(process));
    }
    json["channels"] = Json::array();
    for (const LiveChannel& each : view.channels) {
        const char* const direction = direction_name(each.direction);
        json["channels"].push_back({{"pid", each.pid},
                                    {"program", each.program},
                                    {"kind", name_of(channel_kind(each.raw_direction()))},
                                    {"other", each.is_end() ? Json(each.other) : Json()},
                                    {"communicator", each.communicator},
                                    {"peer", each.peer ? Json(*each.peer) : Json()},
                                    {"direction", direction != nullptr ? Json(direction) : Json()},
                                    {"messages", each.messages},
                                    {"bytes", each.bytes},
                                    {"messages_per_s", each.messages_a_second},
                                    {"bytes_per_s", each.bytes_a_second},
                                    {"blocked_share", each.blocked},
                                    {"outstanding_messages", each.outstanding},
                                    {"largest_bytes", each.largest}});
    }
    constexpr const char* kTypes[] = {"", "counter", "gauge", "maximum"};
    json["metrics"] = Json::array();
    for (const LiveMetric& each : view.metrics) {
        json["metrics"].push_back({{"pid", each.pid},
                                   {"program", each.program},
                                   {"name", each.name},
                                   {"unit", each.unit},
                                   {"type", kTypes[static_cast<int>(each.type)]},
                                   {"total", each.total},
                                   {"per_s", each.a_second}});
    }
    json["refused"] = view.refused;
    json["unreadable"] = view.unreadable;
    return json;
}

}  // namespace kymo::live
