#include "live/detail_view.h"

#include "host/other_ends.h"
#include "live/figures.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace kymo::live {
namespace {

using ring::RowIs;
using State = ring::DetailQueries::State;
using view::Ink;

host::TaskRates task_of(const DetailRow& row) {
    const auto share = [&row](TaskColumn column) { return rate_of(row, column) / 1e9; };
    const auto both = [&row](TaskColumn a, TaskColumn b) { return rate_of(row, a) + rate_of(row, b); };
    return {.user = share(TaskColumn::kUser),
            .system = share(TaskColumn::kSystem),
            .lock_wait = share(TaskColumn::kLockWait),
            .wait = share(TaskColumn::kWait),
            .switches = both(TaskColumn::kVoluntary, TaskColumn::kInvoluntary),
            .faults = both(TaskColumn::kMinorFaults, TaskColumn::kMajorFaults)};
}

host::LiveProcessor processor_of(const DetailRow& row) {
    const auto rate = [&row](ProcessorColumn column) { return rate_of(row, column); };
    const double user = rate(ProcessorColumn::kUser) + rate(ProcessorColumn::kNice);
    const double system = rate(ProcessorColumn::kSystem) + rate(ProcessorColumn::kInterrupts);
    const double steal = rate(ProcessorColumn::kSteal);
    const double idle = rate(ProcessorColumn::kIdle) + rate(ProcessorColumn::kIoWait);
    // The kernel counts in steps of 10 ms, so shares are relative to the time it counted.
    const double all = std::max(user + system + steal + idle, 1.0);
    return {.number = row.told.head.number,
            .user = user / all,
            .system = system / all,
            .steal = steal / all,
            .idle = idle / all,
            .queue = rate(ProcessorColumn::kRunDelay) / 1e9};
}

// The program's name if the process has a row; otherwise its number suffices.
std::string program_of(const DetailView& view, std::uint32_t process) {
    const DetailTable* const programs = view.table(RowsOf::kProcesses);
    for (std::size_t i = 0; programs != nullptr && i < programs->rows.size(); ++i) {
        if (programs->rows[i].told.head.process == process) {
            return programs->rows[i].told.name();
        }
    }
    return "process";
}

host::LiveChannel one_channel(const DetailView& view, const DetailRow& row) {
    const ring::RowHead& head = row.told.head;
    const auto value = [&row](ChannelColumn column) { return row.told.values[static_cast<std::size_t>(column)]; };
    return {.pid = head.process,
            .program = program_of(view, head.process),
            .communicator = row.told.name(),
            .communicator_id = head.communicator,
            .peer_end = is_end_direction(head.direction) ? head.peer : 0,
            .peer = head.peer <= ~std::uint32_t{0} && !is_end_direction(head.direction) ? std::optional(head.peer)
                                                                                        : std::nullopt,
            .direction = static_cast<cells::ChannelDirection>(head.direction),
            .messages = value(ChannelColumn::kMessages),
            .bytes = value(ChannelColumn::kBytes),
            .messages_a_second = rate_of(row, ChannelColumn::kMessages),
            .bytes_a_second = rate_of(row, ChannelColumn::kBytes),
            .blocked = rate_of(row, ChannelColumn::kBlocked) / 1e9,
            .outstanding = static_cast<std::int64_t>(value(ChannelColumn::kOutstanding)),
            .largest = value(ChannelColumn::kLargest)};
}

// With the process at its other end, as far as the received rows contain it.
host::LiveChannel channel_of(const DetailView& view, const DetailRow& row) {
    const DetailTable* const table = view.table(RowsOf::kChannels);
    if (!is_end_direction(row.told.head.direction) || table == nullptr) {
        return one_channel(view, row);
    }
    std::vector<host::LiveChannel> all = {one_channel(view, row)};
    for (const DetailRow& each : table->rows) {
        all.push_back(one_channel(view, each));
    }
    host::find_other_ends(all);
    return all.front();
}

// Rows of equal rates stay in the order received: by their totals.
std::vector<const DetailRow*> ordered(const DetailTable& table, TaskSort sort) {
    std::vector<const DetailRow*> rows;
    rows.reserve(table.rows.size());
    for (const DetailRow& row : table.rows) {
        rows.push_back(&row);
    }
    const auto value = [&](const DetailRow* row) {
        return table.what == RowsOf::kChannels ? rate_of(*row, ChannelColumn::kBlocked)
                                               : sort_value(task_of(*row), sort);
    };
    if (table.what != RowsOf::kProcessors) {
        std::stable_sort(rows.begin(), rows.end(),
                         [&](const DetailRow* a, const DetailRow* b) { return value(a) > value(b); });
    }
    return rows;
}

RowId id_of(const DetailRow& row) {
    return {row.told.head.number, row.told.head.begin};
}

const DetailTable* table_to_choose(const DetailView& view) {
    return view.table(view.target.process ? RowsOf::kThreads : RowsOf::kProcesses);
}

// How many of its rows are shown, of how many, and by which order.
std::string heading(const DetailTable& table, std::size_t count, TaskSort sort) {
    constexpr const char* kNames[] = {"Processors", "Programs", "Threads", "Channels"};
    std::string text = fmt::format("{}  ", kNames[static_cast<std::size_t>(table.what)]);
    text += count < table.there ? fmt::format("{} of {}", count, table.there) : fmt::format("{}", table.there);
    if (table.there > 1 && table.what == RowsOf::kChannels) {
        text += ", by time inside calls";
    } else if (table.there > 1 && table.what != RowsOf::kProcessors) {
        text += fmt::format(", by {}", name_of(sort));
    }
    if (table.rows.size() < table.there) {
        text += fmt::format("; of the {} that have most of it so far", table.rows.size());
    }
    return text;
}

std::string task_text(RowsOf what, const DetailRow& row) {
    const ring::RowHead& head = row.told.head;
    if (head.state == RowIs::kSumOfEnded) {
        return "ended threads without rows of their own";
    }
    const std::string ended = head.state == RowIs::kEnded ? ", ended" : "";
    const std::string threads =
        what == RowsOf::kProcesses ? "  " + view::quantity(head.objects, "thread") : std::string();
    return fmt::format("{} {}{}{}", row.told.name(), head.number, threads, ended);
}

HostRow own_figures(const DetailView& view, RowsOf what, const DetailRow& row, bool is_chosen) {
    if (what == RowsOf::kProcessors) {
        return {processor_of(row), fmt::format("  {}", row.told.head.number)};
    }
    if (what == RowsOf::kChannels) {
        const host::LiveChannel channel = channel_of(view, row);
        return {channel,
                row.told.head.state == RowIs::kSumOfEnded
                    ? fmt::format("  {} {} ended channels without rows of their own", channel.program, channel.pid)
                    : channel_text(channel)};
    }
    return {task_of(row), (is_chosen ? "> " : "  ") + task_text(what, row),
            what == RowsOf::kProcesses ? Ink::kName : Ink::kPlain};
}

// The user's own metrics follow the name, with their names.
HostRow row_of(const view::Style& style, const DetailView& view, const DetailTable& table, const DetailRow& row,
               bool is_chosen) {
    HostRow drawn = own_figures(view, table.what, row, is_chosen);
    for (std::size_t i = own_columns(table.what); i < row.told.values.size(); ++i) {
        const std::string rate = row.told.knows(i) ? rate_figure(style, rate_of(row, i)) + "/s" : "not known";
        drawn.text += fmt::format("  {} {}", table.metrics[i], rate);
    }
    if (table.what != RowsOf::kProcessors && (row.told.head.unknown & 1U) != 0) {
        drawn.text += "  not known";
    }
    return drawn;
}

HostTable table_of(const view::Style& style, const DetailView& view, const DetailTable& table,
                   const DetailShown& shown) {
    constexpr std::string_view kColumns[] = {kProcessorColumns, kProgramColumns, kThreadColumns, kChannelColumns};
    const std::vector<const DetailRow*> rows = ordered(table, shown.sort);
    const auto chosen = &table != table_to_choose(view)
                            ? rows.end()
                            : std::find_if(rows.begin(), rows.end(),
                                           [&](const DetailRow* row) { return id_of(*row) == shown.chosen; });
    const std::size_t from =
        chosen == rows.end() ? 0 : first_shown(static_cast<std::size_t>(chosen - rows.begin()), shown.rows);
    const std::size_t count = std::min(shown.rows, rows.size() - from);
    HostTable drawn{heading(table, count, shown.sort), kColumns[static_cast<std::size_t>(table.what)], {}};
    for (std::size_t i = from; i < from + count; ++i) {
        drawn.rows.push_back(row_of(style, view, table, *rows[i], chosen != rows.end() && rows[i] == *chosen));
    }
    return drawn;
}

nlohmann::ordered_json row_json(const DetailTable& table, const DetailRow& row) {
    constexpr const char* kStates[] = {"", "there", "ended", "sum of ended"};
    using Json = nlohmann::ordered_json;
    const ring::RowHead& head = row.told.head;
    Json json;
    if (table.what == RowsOf::kChannels) {
        const char* const direction = direction_name(static_cast<cells::ChannelDirection>(head.direction));
        json = {
            {"pid", head.process},
            {"communicator", row.told.name()},
            {"kind", name_of(channel_kind(head.direction))},
            {"peer", head.peer <= ~std::uint32_t{0} && !is_end_direction(head.direction) ? Json(head.peer) : Json()},
            {"direction", direction == nullptr ? Json() : Json(direction)}};
    } else if (table.what == RowsOf::kProcessors) {
        json = {{"number", head.number}};
    } else if (table.what == RowsOf::kProcesses) {
        json = {
            {"pid", head.process}, {"image", head.image}, {"program", row.told.name()}, {"threads", head.objects}};
    } else {
        json = {{"pid", head.process}, {"tid", head.number}, {"name", row.told.name()}};
    }
    json["state"] = kStates[static_cast<std::size_t>(head.state)];
    for (std::size_t i = 0; i < table.metrics.size(); ++i) {
        json["metrics"][table.metrics[i]] =
            row.told.knows(i) ? Json{{"value", row.told.values[i]},
                                     {"per_s", row.a_second.empty() ? Json() : Json(row.a_second[i])}}
                              : Json();
    }
    return json;
}

}  // namespace

std::vector<RowId> rows_to_choose(const DetailView& view, TaskSort sort) {
    std::vector<RowId> ids;
    if (const DetailTable* const table = table_to_choose(view)) {
        for (const DetailRow* row : ordered(*table, sort)) {
            ids.push_back(id_of(*row));
        }
    }
    return ids;
}

std::string why_no_rows(const DetailView& view) {
    switch (view.state) {
        case State::kSilent:
            return view.tables.empty() ? "Its agent does not answer."
                                       : "Its agent does not answer any more: these rows are old.";
        case State::kEarlier:
            return "The agent runs an older Kymo that cannot send rows; restart it with this version.";
        case State::kAsked:
            return "Waiting for the agent's answer.";
        case State::kNothing:
        case State::kTold:
            break;
    }
    return {};
}

std::vector<std::string> detail_lines(const view::Style& style, const DetailView& view, const DetailShown& shown) {
    Lines lines(style);
    if (const std::string why = why_no_rows(view); !why.empty()) {
        lines.line(why, Ink::kWarning);
    }
    for (const DetailTable& table : view.tables) {
        if ((table.what != RowsOf::kProcessors || shown.processors) &&
            (table.what != RowsOf::kChannels || shown.channels)) {
            draw(lines, table_of(style, view, table, shown));
        }
    }
    draw_missing(lines, view.facts.refused, view.facts.unreadable);
    return lines.take();
}

nlohmann::ordered_json detail_json(const DetailView& view) {
    constexpr const char* kNames[] = {"processors", "processes", "threads", "channels"};
    constexpr const char* kStates[] = {"nothing", "asked", "told", "silent", "earlier"};
    nlohmann::ordered_json json{{"slot", view.target.slot}, {"state", kStates[static_cast<std::size_t>(view.state)]}};
    if (const std::string why = why_no_rows(view); !why.empty()) {
        json["why"] = why;
    }
    if (view.tables.empty()) {
        return json;
    }
    json["incarnation"] = view.incarnation;
    json["seconds"] = view.tables.front().seconds;
    json["unreadable"] = view.facts.unreadable;
    json["refused"] = view.facts.refused;
    for (const DetailTable& table : view.tables) {
        nlohmann::ordered_json rows = nlohmann::ordered_json::array();
        for (const DetailRow& row : table.rows) {
            rows.push_back(row_json(table, row));
        }
        json[kNames[static_cast<std::size_t>(table.what)]] = {
            {"there", table.there}, {"told", table.rows.size()}, {"rows", std::move(rows)}};
    }
    return json;
}

}  // namespace kymo::live
