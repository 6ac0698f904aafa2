#include "cli/top/lines.h"

#include "cli/top/figures.h"
#include "ring/live/service_metrics.h"
#include "ring/protocol/layout.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::cli {
namespace {

using ring::LiveChannel;
using ring::LiveMetric;
using ring::LiveProcess;
using ring::LiveProcessor;
using ring::LiveTask;
using ring::LiveView;
using ring::TaskRates;
using view::Ink;
using view::Style;

double sort_value(const TaskRates& rates, TopSort sort) {
    switch (sort) {
        case TopSort::kLockWait:
            return rates.lock_wait;
        case TopSort::kWait:
            return rates.wait;
        case TopSort::kFaults:
            return rates.faults;
        case TopSort::kSwitches:
            return rates.switches;
        case TopSort::kOnCpu:
            break;
    }
    return rates.on_cpu();
}

std::string amount(const Style& style, std::uint64_t value, std::string_view unit) {
    if (unit == "ns") {
        return view::duration(style, static_cast<std::int64_t>(value));
    }
    return value < 10'000'000 ? view::count(static_cast<std::int64_t>(value))
                              : rate_figure(style, static_cast<double>(value));
}

class Lines {
  public:
    Lines(const Style& style, const TopShown& shown) : style_(style), shown_(shown) {}

    void heading(const std::string& text) {
        if (!lines_.empty()) {
            lines_.emplace_back();
        }
        lines_.push_back(view::paint(style_, Ink::kHeading, view::cut_end(style_, text, style_.width)));
    }
    void columns(const std::string& text) {
        lines_.push_back(view::paint(style_, Ink::kDim, view::cut_end(style_, text, style_.width)));
    }
    void line(const std::string& text, Ink ink = Ink::kPlain) {
        lines_.push_back(view::paint(style_, ink, view::cut_end(style_, text, style_.width)));
    }
    void more(std::size_t all) {
        if (all > shown_.rows) {
            line(fmt::format("  {} {} more", view::signs(style_).ellipsis, all - shown_.rows), Ink::kDim);
        }
    }

    void processors(const std::vector<LiveProcessor>& list) {
        if (list.empty() || !shown_.processors) {
            return;
        }
        heading("Processors");
        columns("    user  system   steal    idle   queue");
        for (std::size_t i = 0; i < std::min(list.size(), shown_.rows); ++i) {
            const LiveProcessor& each = list[i];
            line(fmt::format("{}{}{}{}{}  {}", cell(share_figure(style_, each.user)),
                             cell(share_figure(style_, each.system)), cell(share_figure(style_, each.steal)),
                             cell(share_figure(style_, each.idle)),
                             view::pad_left(fmt::format("{:.1f}", each.queue), 8), each.number),
                 each.queue >= 1 || each.steal >= 0.1 ? Ink::kWarm : Ink::kPlain);
        }
        more(list.size());
    }

    void processes(std::vector<LiveProcess> list) {
        const auto by = [this](const auto& a, const auto& b) {
            return sort_value(a.rates, shown_.sort) > sort_value(b.rates, shown_.sort);
        };
        std::stable_sort(list.begin(), list.end(), by);
        heading(fmt::format("Programs  by {}", name_of(shown_.sort)));
        if (list.empty()) {
            line("  none that can be seen: start one with kymo measure, with kymo record --live,");
            line("  or one that uses kymo/metrics.h with kymo record");
            return;
        }
        columns("  on CPU    user  system   locks   waits  switches  faults  thread");
        for (std::size_t i = 0; i < std::min(list.size(), shown_.rows); ++i) {
            LiveProcess& each = list[i];
            line(rates(each.rates) + fmt::format("  {} {}  {}{}", each.program, each.pid,
                                                 view::quantity(each.tasks.size(), "thread"),
                                                 each.has_ended ? ", ended" : ""),
                 Ink::kName);
            if (!shown_.threads || each.tasks.size() < 2) {
                continue;
            }
            std::stable_sort(each.tasks.begin(), each.tasks.end(), by);
            for (std::size_t k = 0; k < std::min(each.tasks.size(), shown_.rows); ++k) {
                line(rates(each.tasks[k].rates) + fmt::format("    {} {}", each.tasks[k].name, each.tasks[k].tid));
            }
            more(each.tasks.size());
        }
        more(list.size());
    }

    void channels(const std::vector<LiveChannel>& list) {
        if (list.empty() || !shown_.channels) {
            return;
        }
        constexpr const char* kDirections[] = {"to", "from", "with", "at", "reads", "writes", "to", "from"};
        heading("Channels  by time inside calls");
        columns("  blocked  messages/s   bytes/s  under way   largest  channel");
        for (std::size_t i = 0; i < std::min(list.size(), shown_.rows); ++i) {
            const LiveChannel& each = list[i];
            const auto direction = static_cast<std::size_t>(each.direction);
            line(fmt::format("{}{}{}{}{}  {} {} {} {}  {}", view::pad_left(share_figure(style_, each.blocked), 9),
                             view::pad_left(rate_figure(style_, each.messages_a_second), 12),
                             view::pad_left(rate_figure(style_, each.bytes_a_second), 10),
                             view::pad_left(std::to_string(each.outstanding), 11),
                             view::pad_left(amount(style_, each.largest, "bytes"), 10), each.program, each.pid,
                             direction < std::size(kDirections) ? kDirections[direction] : "?", peer(each),
                             each.communicator));
        }
        more(list.size());
    }

    static std::string peer(const LiveChannel& channel) {
        if (ring::is_service(channel.direction)) {
            return !channel.peer                     ? "somebody"
                   : *channel.peer == ring::kManager ? "manager"
                                                     : fmt::format("slot {}", *channel.peer);
        }
        const bool is_of_tasks = channel.direction < cells::ChannelDirection::kRead;
        return channel.peer ? fmt::format("rank {}", *channel.peer) : is_of_tasks ? "all" : "";
    }

    void metrics(const std::vector<LiveMetric>& list) {
        if (list.empty() || !shown_.metrics) {
            return;
        }
        heading("Metrics");
        columns("       total   a second  metric");
        for (std::size_t i = 0; i < std::min(list.size(), shown_.rows); ++i) {
            const LiveMetric& each = list[i];
            const std::string speed =
                each.unit == "ns" ? share_figure(style_, each.a_second / 1e9) : rate_figure(style_, each.a_second);
            line(fmt::format("{}{}  {}{}  {} {}", view::pad_left(amount(style_, each.total, each.unit), 12),
                             view::pad_left(each.type == cells::MetricType::kCounter ? speed : "", 11), each.name,
                             each.unit.empty() || each.unit == "ns" ? "" : " (" + each.unit + ")", each.program,
                             each.pid));
        }
        more(list.size());
    }

    std::vector<std::string> take() { return std::move(lines_); }

  private:
    static std::string cell(const std::string& text) { return view::pad_left(text, 8); }
    std::string rates(const TaskRates& rates) const {
        return cell(share_figure(style_, rates.on_cpu())) + cell(share_figure(style_, rates.user)) +
               cell(share_figure(style_, rates.system)) + cell(share_figure(style_, rates.lock_wait)) +
               cell(share_figure(style_, rates.wait)) + view::pad_left(rate_figure(style_, rates.switches), 10) +
               cell(rate_figure(style_, rates.faults));
    }

    const Style& style_;
    const TopShown& shown_;
    std::vector<std::string> lines_;
};

nlohmann::ordered_json to_json(const TaskRates& rates) {
    return {{"user", rates.user}, {"system", rates.system},           {"lock_wait", rates.lock_wait},
            {"wait", rates.wait}, {"switches_per_s", rates.switches}, {"faults_per_s", rates.faults}};
}

}  // namespace

std::string_view name_of(TopSort sort) {
    constexpr std::string_view kNames[kTopSorts] = {"time on a processor", "waiting for locks", "waiting",
                                                    "page faults", "context switches"};
    return kNames[static_cast<int>(sort)];
}

std::vector<std::string> top_lines(const Style& style, const LiveView& view, const TopShown& shown) {
    Lines lines(style, shown);
    lines.processors(view.processors);
    lines.processes(view.processes);
    lines.channels(view.channels);
    lines.metrics(view.metrics);
    if (view.refused != 0) {
        lines.line(fmt::format("  {} without cells: there were more than a segment has room for",
                               view::quantity(view.refused, "thread or channel", "threads or channels")),
                   Ink::kWarning);
    }
    if (view.unreadable != 0) {
        lines.line(fmt::format("  {} could not be read", view::quantity(view.unreadable, "segment")), Ink::kWarning);
    }
    return lines.take();
}

nlohmann::ordered_json top_json(const LiveView& view) {
    using Json = nlohmann::ordered_json;
    Json json{{"seconds", view.seconds}};
    json["processors"] = Json::array();
    for (const LiveProcessor& each : view.processors) {
        json["processors"].push_back({{"number", each.number},
                                      {"user", each.user},
                                      {"system", each.system},
                                      {"steal", each.steal},
                                      {"idle", each.idle},
                                      {"queue", each.queue}});
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
    constexpr const char* kDirections[] = {"send", "receive", "collective",   "one-sided",
                                           "read", "write",   "service-send", "service-receive"};
    json["channels"] = Json::array();
    for (const LiveChannel& each : view.channels) {
        const auto direction = static_cast<std::size_t>(each.direction);
        json["channels"].push_back(
            {{"pid", each.pid},
             {"program", each.program},
             {"communicator", each.communicator},
             {"peer", each.peer ? Json(*each.peer) : Json()},
             {"direction", direction < std::size(kDirections) ? Json(kDirections[direction]) : Json()},
             {"messages", each.messages},
             {"bytes", each.bytes},
             {"messages_per_s", each.messages_a_second},
             {"bytes_per_s", each.bytes_a_second},
             {"blocked", each.blocked},
             {"outstanding", each.outstanding},
             {"largest", each.largest}});
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

}  // namespace kymo::cli
