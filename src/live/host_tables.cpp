#include "live/host_tables.h"

#include "live/figures.h"
#include "ring/protocol/layout.h"
#include "ring/transport/service_metrics.h"

#include <fmt/format.h>

namespace kymo::live {
namespace {

using host::LiveChannel;
using host::LiveMetric;
using host::LiveProcessor;
using host::TaskRates;
using view::Ink;

std::string peer_text(const LiveChannel& channel) {
    if (ring::is_service(channel.direction)) {
        return !channel.peer                     ? "somebody"
               : *channel.peer == ring::kManager ? "manager"
                                                 : fmt::format("slot {}", *channel.peer);
    }
    const bool is_of_tasks = channel.direction < cells::ChannelDirection::kRead;
    return channel.peer ? fmt::format("rank {}", *channel.peer) : is_of_tasks ? "all" : "";
}

// Draws a row of each kind: its figures, in columns, and the text behind them.
class RowDrawer {
  public:
    RowDrawer(Lines& lines, const HostRow& row) : lines_(lines), style_(lines.style()), row_(row) {}

    void operator()(const std::monostate& /*nothing*/) { put(""); }

    void operator()(const LiveProcessor& each) {
        lines_.line(share(each.user) + share(each.system) + share(each.steal) + share(each.idle) +
                        cell(fmt::format("{:.1f}", each.queue)) + row_.text,
                    each.queue >= 1 || each.steal >= 0.1 ? Ink::kWarm : row_.ink);
    }

    void operator()(const TaskRates& rates) {
        put(share(rates.on_cpu()) + share(rates.user) + share(rates.system) + share(rates.lock_wait) +
            share(rates.wait) + rate(rates.switches, 10) + rate(rates.faults, 8));
    }

    void operator()(const LiveChannel& each) {
        put(share(each.blocked, 9) + rate(each.messages_a_second, 12) + rate(each.bytes_a_second, 10) +
            cell(std::to_string(each.outstanding), 11) + cell(amount_figure(style_, each.largest, "bytes"), 10));
    }

    void operator()(const LiveMetric& each) {
        const std::string speed =
            each.unit == "ns" ? share_figure(style_, each.a_second / 1e9) : rate_figure(style_, each.a_second);
        put(cell(amount_figure(style_, each.total, each.unit), 12) +
            cell(each.type == cells::MetricType::kCounter ? speed : "", 11));
    }

    void operator()(const RowsLeftOut& rows) { lines_.more(rows.number); }

  private:
    void put(const std::string& figures) { lines_.line(figures + row_.text, row_.ink); }
    std::string share(double value, std::size_t width = 8) const { return cell(share_figure(style_, value), width); }
    std::string rate(double value, std::size_t width) const { return cell(rate_figure(style_, value), width); }

    Lines& lines_;
    const view::Style& style_;
    const HostRow& row_;
};

}  // namespace

std::string_view name_of(TaskSort sort) {
    constexpr std::string_view kNames[kTaskSorts] = {"time on a processor", "waiting for locks", "waiting",
                                                     "page faults", "context switches"};
    return kNames[static_cast<int>(sort)];
}

double sort_value(const TaskRates& rates, TaskSort sort) {
    switch (sort) {
        case TaskSort::kLockWait:
            return rates.lock_wait;
        case TaskSort::kWait:
            return rates.wait;
        case TaskSort::kFaults:
            return rates.faults;
        case TaskSort::kSwitches:
            return rates.switches;
        case TaskSort::kOnCpu:
            break;
    }
    return rates.on_cpu();
}

std::string channel_text(const LiveChannel& channel) {
    if (channel.is_end()) {
        const bool is_named = !channel.communicator.empty() && channel.other != channel.communicator;
        return fmt::format("  {} {} {} {}  {}{}", channel.program, channel.pid,
                           receives(channel.raw_direction()) ? "from" : "to", channel.other,
                           name_of(channel_kind(channel.raw_direction())),
                           is_named ? " " + channel.communicator : "");
    }
    constexpr const char* kWords[] = {"to", "from", "with", "at", "reads", "writes", "to", "from"};
    const auto direction = static_cast<std::size_t>(channel.direction);
    return fmt::format("  {} {} {} {}  {}", channel.program, channel.pid,
                       direction < std::size(kWords) ? kWords[direction] : "?", peer_text(channel),
                       channel.communicator);
}

const char* direction_name(cells::ChannelDirection direction) {
    constexpr const char* kNames[] = {"send", "receive", "collective",   "one-sided",
                                      "read", "write",   "service-send", "service-receive"};
    const auto at = static_cast<std::size_t>(direction);
    if (is_end_direction(at)) {
        return receives(at) ? "receive" : "send";
    }
    return at < std::size(kNames) ? kNames[at] : nullptr;
}

void draw(Lines& lines, const HostTable& table) {
    lines.heading(table.heading);
    if (!table.columns.empty() && !table.rows.empty()) {
        lines.columns(std::string(table.columns));
    }
    for (const HostRow& row : table.rows) {
        std::visit(RowDrawer(lines, row), row.figures);
    }
}

void draw_missing(Lines& lines, std::size_t refused, std::size_t unreadable) {
    if (refused != 0) {
        lines.line(fmt::format("  {} without cells: there were more than a segment has room for",
                               view::quantity(refused, "thread or channel", "threads or channels")),
                   Ink::kWarning);
    }
    if (unreadable != 0) {
        lines.line(fmt::format("  {} could not be read", view::quantity(unreadable, "segment")), Ink::kWarning);
    }
}

}  // namespace kymo::live
