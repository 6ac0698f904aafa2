#include "cli/ring/look_lines.h"

#include "cli/top/figures.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::cli {
namespace {

using ring::RowIs;
using State = ring::Looks::State;
using view::Ink;

double task_value(const LookRow& row, TopSort sort) {
    const auto both = [&row](TaskColumn a, TaskColumn b) { return rate_of(row, a) + rate_of(row, b); };
    switch (sort) {
        case TopSort::kLockWait:
            return rate_of(row, TaskColumn::kLockWait);
        case TopSort::kWait:
            return rate_of(row, TaskColumn::kWait);
        case TopSort::kFaults:
            return both(TaskColumn::kMinorFaults, TaskColumn::kMajorFaults);
        case TopSort::kSwitches:
            return both(TaskColumn::kVoluntary, TaskColumn::kInvoluntary);
        case TopSort::kOnCpu:
            break;
    }
    return both(TaskColumn::kUser, TaskColumn::kSystem);
}

// Where rates are the same, as they were told: by what they have come to.
std::vector<const LookRow*> ordered(const LookTable& table, TopSort sort) {
    std::vector<const LookRow*> rows;
    rows.reserve(table.rows.size());
    for (const LookRow& row : table.rows) {
        rows.push_back(&row);
    }
    const auto value = [&](const LookRow* row) {
        return table.what == RowsOf::kChannels ? rate_of(*row, ChannelColumn::kBlocked) : task_value(*row, sort);
    };
    if (table.what != RowsOf::kProcessors) {
        std::stable_sort(rows.begin(), rows.end(),
                         [&](const LookRow* a, const LookRow* b) { return value(a) > value(b); });
    }
    return rows;
}

RowId id_of(const LookRow& row) {
    return {row.told.head.number, row.told.head.begin};
}

const LookTable* table_to_choose(const LookView& view) {
    return view.table(view.target.process ? RowsOf::kThreads : RowsOf::kProcesses);
}

std::string name_of(RowsOf what) {
    constexpr const char* kNames[] = {"Processors", "Programs", "Threads", "Channels"};
    return kNames[static_cast<std::size_t>(what)];
}

class LookLines {
  public:
    LookLines(const view::Style& style, const LookView& view, const LookShown& shown)
        : style_(style), view_(view), shown_(shown) {}

    void add(const std::string& text, Ink ink = Ink::kPlain) {
        lines_.push_back(view::paint(style_, ink, view::cut_end(style_, text, style_.width)));
    }

    void take(const LookTable& table) {
        const std::vector<const LookRow*> rows = ordered(table, shown_.sort);
        // So that the chosen one is among those shown.
        const auto chosen = &table != table_to_choose(view_)
                                ? rows.end()
                                : std::find_if(rows.begin(), rows.end(),
                                               [this](const LookRow* row) { return id_of(*row) == shown_.chosen; });
        const auto at = chosen == rows.end() ? 0 : static_cast<std::size_t>(chosen - rows.begin());
        const std::size_t from = at < shown_.rows ? 0 : at - shown_.rows + 1;
        const std::size_t count = std::min(shown_.rows, rows.size() - from);
        heading(table, count);
        for (std::size_t i = from; i < from + count; ++i) {
            row(table, *rows[i], chosen != rows.end() && rows[i] == *chosen);
        }
    }

    std::vector<std::string> end() {
        if (view_.facts.refused != 0) {
            add(fmt::format("  {} without cells: there were more than a segment has room for",
                            view::quantity(view_.facts.refused, "thread or channel", "threads or channels")),
                Ink::kWarning);
        }
        if (view_.facts.unreadable != 0) {
            add(fmt::format("  {} could not be read", view::quantity(view_.facts.unreadable, "segment")),
                Ink::kWarning);
        }
        return std::move(lines_);
    }

  private:
    void heading(const LookTable& table, std::size_t count) {
        constexpr const char* kColumns[] = {"    user  system   steal    idle   queue",
                                            "  on CPU    user  system   locks   waits  switches  faults  program",
                                            "  on CPU    user  system   locks   waits  switches  faults  thread",
                                            "  blocked  messages/s   bytes/s  under way   largest  channel"};
        std::string text = name_of(table.what) + "  ";
        text += count < table.there ? fmt::format("{} of {}", count, table.there) : fmt::format("{}", table.there);
        if (table.there > 1 && table.what == RowsOf::kChannels) {
            text += ", by time inside calls";
        } else if (table.there > 1 && table.what != RowsOf::kProcessors) {
            text += fmt::format(", by {}", cli::name_of(shown_.sort));
        }
        if (table.rows.size() < table.there) {
            text += fmt::format("; of the {} that have most of it so far", table.rows.size());
        }
        if (!lines_.empty()) {
            lines_.emplace_back();
        }
        add(text, Ink::kHeading);
        if (count > 0) {
            add(kColumns[static_cast<std::size_t>(table.what)], Ink::kDim);
        }
    }

    static std::size_t own_columns(RowsOf what) {
        return what == RowsOf::kProcessors ? 8
               : what == RowsOf::kChannels ? 5
                                           : static_cast<std::size_t>(TaskColumn::kCount);
    }

    // The user's own metrics come behind the name, with theirs.
    void row(const LookTable& table, const LookRow& row, bool is_chosen) {
        const RowsOf what = table.what;
        std::string text;
        if (what == RowsOf::kProcessors) {
            text = processor(row);
        } else if (what == RowsOf::kChannels) {
            text = channel(row);
        } else {
            text = task(row) + (is_chosen ? "> " : "  ") + name(what, row);
        }
        for (std::size_t i = own_columns(what); i < row.told.values.size(); ++i) {
            const std::string rate = row.told.knows(i) ? rate_figure(style_, rate_of(row, i)) + "/s" : "not known";
            text += fmt::format("  {} {}", table.metrics[i], rate);
        }
        const bool is_torn = what != RowsOf::kProcessors && (row.told.head.unknown & 1U) != 0;
        add(text + (is_torn ? "  not known" : ""), what == RowsOf::kProcesses ? Ink::kName : Ink::kPlain);
    }

    std::string processor(const LookRow& row) const {
        const auto rate = [&row](ProcessorColumn column) { return rate_of(row, column); };
        const double user = rate(ProcessorColumn::kUser) + rate(ProcessorColumn::kNice);
        const double system = rate(ProcessorColumn::kSystem) + rate(ProcessorColumn::kInterrupts);
        const double steal = rate(ProcessorColumn::kSteal);
        const double idle = rate(ProcessorColumn::kIdle) + rate(ProcessorColumn::kIoWait);
        // The kernel counts in steps of 10 ms: shares are of what it counted.
        const double all = std::max(user + system + steal + idle, 1.0);
        return cell(share_figure(style_, user / all)) + cell(share_figure(style_, system / all)) +
               cell(share_figure(style_, steal / all)) + cell(share_figure(style_, idle / all)) +
               cell(fmt::format("{:.1f}", rate(ProcessorColumn::kRunDelay) / 1e9)) +
               fmt::format("  {}", row.told.head.number);
    }

    std::string task(const LookRow& row) const {
        const auto share = [&](TaskColumn column) { return cell(share_figure(style_, rate_of(row, column) / 1e9)); };
        return cell(share_figure(style_, task_value(row, TopSort::kOnCpu) / 1e9)) + share(TaskColumn::kUser) +
               share(TaskColumn::kSystem) + share(TaskColumn::kLockWait) + share(TaskColumn::kWait) +
               cell(rate_figure(style_, task_value(row, TopSort::kSwitches)), 10) +
               cell(rate_figure(style_, task_value(row, TopSort::kFaults)));
    }

    static std::string name(RowsOf what, const LookRow& row) {
        const ring::RowHead& head = row.told.head;
        if (head.state == RowIs::kSumOfEnded) {
            return "ended threads without rows of their own";
        }
        const std::string ended = head.state == RowIs::kEnded ? ", ended" : "";
        const std::string threads =
            what == RowsOf::kProcesses ? "  " + view::quantity(head.objects, "thread") : std::string();
        return fmt::format("{} {}{}{}", row.told.name(), head.number, threads, ended);
    }

    std::string channel(const LookRow& row) const {
        const auto value = [&row](ChannelColumn column) { return row.told.values[static_cast<std::size_t>(column)]; };
        return cell(share_figure(style_, rate_of(row, ChannelColumn::kBlocked) / 1e9), 9) +
               cell(rate_figure(style_, rate_of(row, ChannelColumn::kMessages)), 12) +
               cell(rate_figure(style_, rate_of(row, ChannelColumn::kBytes)), 10) +
               cell(std::to_string(static_cast<std::int64_t>(value(ChannelColumn::kOutstanding))), 11) +
               cell(rate_figure(style_, static_cast<double>(value(ChannelColumn::kLargest))), 10) + "  " +
               channel_name(row);
    }

    std::string channel_name(const LookRow& row) const {
        const ring::RowHead& head = row.told.head;
        if (head.state == RowIs::kSumOfEnded) {
            return fmt::format("{} {} ended channels without rows of their own", program(head.process), head.process);
        }
        constexpr const char* kDirections[] = {"to", "from", "with", "at", "reads", "writes", "to", "from"};
        const bool is_of_tasks = head.direction < static_cast<std::uint8_t>(cells::ChannelDirection::kRead);
        const std::string peer = head.peer <= ~std::uint32_t{0} ? fmt::format("rank {}", head.peer)
                                 : is_of_tasks                  ? "all"
                                                                : "";
        return fmt::format("{} {} {} {}  {}", program(head.process), head.process, kDirections[head.direction % 8],
                           peer, row.told.name());
    }

    // Of a process that was told; otherwise its number says enough.
    std::string program(std::uint32_t process) const {
        const LookTable* const programs = view_.table(RowsOf::kProcesses);
        for (std::size_t i = 0; programs != nullptr && i < programs->rows.size(); ++i) {
            if (programs->rows[i].told.head.process == process) {
                return programs->rows[i].told.name();
            }
        }
        return "process";
    }

    static std::string cell(const std::string& text, std::size_t width = 8) { return view::pad_left(text, width); }

    const view::Style& style_;
    const LookView& view_;
    const LookShown& shown_;
    std::vector<std::string> lines_;
};

nlohmann::ordered_json row_json(const LookTable& table, const LookRow& row) {
    constexpr const char* kStates[] = {"", "there", "ended", "sum of ended"};
    constexpr const char* kDirections[] = {"send", "receive", "collective",   "one-sided",
                                           "read", "write",   "service-send", "service-receive"};
    using Json = nlohmann::ordered_json;
    const ring::RowHead& head = row.told.head;
    Json json;
    if (table.what == RowsOf::kChannels) {
        json = {{"pid", head.process},
                {"communicator", row.told.name()},
                {"peer", head.peer <= ~std::uint32_t{0} ? Json(head.peer) : Json()},
                {"direction", kDirections[head.direction % 8]}};
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

std::vector<RowId> rows_to_choose(const LookView& view, TopSort sort) {
    std::vector<RowId> ids;
    if (const LookTable* const table = table_to_choose(view)) {
        for (const LookRow* row : ordered(*table, sort)) {
            ids.push_back(id_of(*row));
        }
    }
    return ids;
}

std::string why_no_rows(const LookView& view) {
    switch (view.state) {
        case State::kSilent:
            return view.tables.empty() ? "Its agent does not answer."
                                       : "Its agent does not answer any more: these rows are old.";
        case State::kEarlier:
            return "Its agent is of an earlier version of Kymo and can tell no rows: start it again with this one.";
        case State::kAsked:
            return "Its agent is being asked.";
        case State::kNothing:
        case State::kTold:
            break;
    }
    return {};
}

std::vector<std::string> look_lines(const view::Style& style, const LookView& view, const LookShown& shown) {
    LookLines lines(style, view, shown);
    if (const std::string why = why_no_rows(view); !why.empty()) {
        lines.add(why, Ink::kWarning);
    }
    for (const LookTable& table : view.tables) {
        if ((table.what != RowsOf::kProcessors || shown.processors) &&
            (table.what != RowsOf::kChannels || shown.channels)) {
            lines.take(table);
        }
    }
    return lines.end();
}

nlohmann::ordered_json look_json(const LookView& view) {
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
    for (const LookTable& table : view.tables) {
        nlohmann::ordered_json rows = nlohmann::ordered_json::array();
        for (const LookRow& row : table.rows) {
            rows.push_back(row_json(table, row));
        }
        json[kNames[static_cast<std::size_t>(table.what)]] = {
            {"there", table.there}, {"told", table.rows.size()}, {"rows", std::move(rows)}};
    }
    return json;
}

}  // namespace kymo::cli
