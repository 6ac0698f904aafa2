#include "view/terminal.h"

#include "spacetime/quality.h"
#include "spacetime/ranks.h"
#include "view/summary.h"
#include "view/table.h"
#include "view/tree_rows.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace kymo::view {
namespace {

using namespace spacetime;

constexpr double kHotShare = 0.2;
constexpr double kWarmShare = 0.05;
constexpr std::size_t kTreeRowsATableRow = 4;

class Report {
  public:
    Report(const Profile& profile, const CallTree& tree, const ReportOptions& options)
        : profile_(profile), tree_(tree), folded_(fold_recursion(tree)), options_(options), style_(options.style) {}

    std::string text() {
        header();
        summary();
        measured();
        not_measured();
        call_paths();
        functions();
        lines();
        ranks();
        processes();
        threads();
        events();
        notes();
        return std::move(out_);
    }

  private:
    const Signs& sign() const { return signs(style_); }
    std::string time(std::int64_t ns) const { return duration(style_, ns); }

    void heading(std::string_view title, std::string_view rest = {}) {
        out_ += "\n" + paint(style_, Ink::kHeading, title);
        if (!rest.empty()) {
            out_ += "  " + paint(style_, Ink::kDim, cut_end(style_, rest, style_.width - columns(title) - 2));
        }
        out_ += "\n";
    }

    void header() {
        std::string command = command_line(profile_.command);
        if (command.empty()) {
            command = "(command not recorded)";
        }
        out_ += paint(style_, Ink::kHeading, cut_end(style_, command, style_.width)) + "\n";
        std::string line = time(static_cast<std::int64_t>(profile_.end - profile_.begin));
        if (!profile_.host.empty()) {
            line += " on " + profile_.host;
        }
        if (profile_.started_realtime_ns != 0) {
            const auto seconds = static_cast<std::time_t>(profile_.started_realtime_ns / 1'000'000'000);
            std::tm local{};
            char text[32];
            if (::localtime_r(&seconds, &local) != nullptr &&
                std::strftime(text, sizeof text, "%F %R", &local) != 0) {
                line += std::string(", ") + text;
            }
        }
        line +=
            fmt::format(" {} {}, {}, {}, {}", sign().dot, quantity(profile_.processes.size(), "process", "processes"),
                        quantity(profile_.threads.size(), "thread"), quantity(profile_.quality.samples, "sample"),
                        ending(profile_));
        out_ += wrap(style_, line, 0, 2);
    }

    void summary() {
        const auto all = sentences(profile_, tree_);
        if (!all.empty()) {
            out_ += "\n";
        }
        for (const std::string& sentence : all) {
            out_ += wrap(style_, sentence, 2, 4);
        }
    }

    void measured() {
        heading("Measured");
        std::vector<std::int64_t> all(tree_.total[0].begin(), tree_.total[0].end());
        std::int64_t paused = 0;
        for (const ProfileThread& thread : profile_.threads) {
            paused += thread.paused_ns;
        }
        out_ +=
            wrap(style_,
                 fmt::format("{} of thread time = {} user + {} system + {} off-CPU", time(wall_time(all)),
                             time(all[kUser]), time(all[kSystem]), time(all[kOffCpu])) +
                     (paused > 0 ? fmt::format("; measurement was switched off for another {}", time(paused)) : ""),
                 2, 4);
        const Quality& quality = profile_.quality;
        std::string line;
        if (const auto rate = sampling_rate(profile_)) {
            line = fmt::format("{} samples a second of user time asked, {} delivered; ", rounded(rate->asked_hz),
                               rounded(rate->delivered_hz));
        }
        if (quality.samples != 0) {
            line += fmt::format("{} of call paths complete", exact_percent(complete_paths(quality), quality.samples));
            if (const std::string causes = partial_causes(quality); !causes.empty()) {
                line += " (" + causes + ")";
            }
            line += "; ";
        } else {
            line += "no sample at all: shorter than a period, or no time in the program itself; ";
        }
        out_ += wrap(style_, line + losses(quality), 2, 4);
    }

    static std::string rounded(double value) {
        return value < 10 ? fmt::format("{:.1f}", value) : count(static_cast<std::int64_t>(std::llround(value)));
    }

    // Never "100.0 %" while one is missing.
    static std::string exact_percent(std::uint64_t part, std::uint64_t all) {
        if (part == all) {
            return "100 %";
        }
        const double value =
            std::floor(share(static_cast<std::int64_t>(part), static_cast<std::int64_t>(all)) * 1e4) / 100;
        return fmt::format("{:.2f} %", value);
    }

    static std::string partial_causes(const Quality& quality) {
        std::string text;
        for (std::size_t i = 1; i < quality.paths.size(); ++i) {
            if (quality.paths[i] != 0) {
                text += (text.empty() ? "" : ", ") + count(static_cast<std::int64_t>(quality.paths[i])) + " " +
                        std::string(path_end_words(static_cast<recording::PathEnd>(i)));
            }
        }
        return text;
    }

    std::string losses(const Quality& quality) const {
        std::string text;
        const auto mention = [&](std::uint64_t number, std::string_view what) {
            if (number != 0) {
                text +=
                    (text.empty() ? "" : ", ") + count(static_cast<std::int64_t>(number)) + " " + std::string(what);
            }
        };
        mention(quality.lost, "lost");
        mention(quality.merged, "merged");
        mention(quality.throttled, "times throttled");
        mention(quality.unwritten, "not written for want of space");
        mention(profile_.kernel_lost, "kernel records lost");
        return text.empty() ? "none lost" : text;
    }

    void not_measured() {
        if (profile_.unavailable.empty()) {
            return;
        }
        heading("Not measured");
        // One remedy for several things is told once.
        std::vector<std::pair<UnavailableInfo, std::string>> groups;
        for (const UnavailableInfo& info : profile_.unavailable) {
            const auto known = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
                return group.first.why == info.why && group.first.remedy == info.remedy;
            });
            if (known == groups.end()) {
                groups.emplace_back(info, info.what);
            } else {
                known->second += ", " + info.what;
            }
        }
        for (const auto& [info, what] : groups) {
            out_ += wrap(style_, what + (info.why.empty() ? "" : ": " + info.why), 2, 4);
            if (!info.remedy.empty()) {
                out_ += wrap(style_, std::string(sign().arrow) + " " + info.remedy, 4, 6);
            }
        }
    }

    // ---- cells that the tables share ----

    Cell share_cell(std::int64_t value, std::int64_t total) const {
        const double part = share(value, total);
        return {percent(part), part >= kHotShare ? Ink::kHot : part >= kWarmShare ? Ink::kWarm : Ink::kPlain};
    }

    void add_heads(std::vector<std::string>& headings) const {
        if (!options_.metric.is_usual) {
            headings.push_back(options_.metric.name);
        }
        headings.insert(headings.end(), {"user", "system", "off-CPU"});
    }

    void add_times(std::vector<Cell>& cells, std::span<const std::int64_t> costs) const {
        if (!options_.metric.is_usual) {
            const std::int64_t value = options_.metric.of(costs);
            cells.push_back({options_.metric.is_time ? time(value) : count(value)});
        }
        for (const CostColumn column : {kUser, kSystem, kOffCpu}) {
            cells.push_back({time(costs[column])});
        }
    }

    void add_function(std::vector<Cell>& cells, std::uint32_t function, std::uint32_t file,
                      std::uint32_t line) const {
        cells.push_back({display_name(tree_, function), Ink::kName});
        const std::string where = place(tree_, file, line);
        const std::string& module = tree_.symbols.functions[function].module;
        if (!where.empty()) {
            cells.push_back({"  " + where, Ink::kDim});
        } else if (!module.empty() && tree_.symbols.functions[function].name.find(module) == std::string::npos) {
            cells.push_back({"  " + module, Ink::kDim});
        }
    }

    std::string by_metric() const { return "by " + options_.metric.name; }

    // ---- the parts ----

    void call_paths() {
        heading("Hot call paths", by_metric());
        TreeLimits limits;
        limits.least_share = options_.percent.value_or(1.0) / 100;
        limits.most_rows = options_.percent ? SIZE_MAX : std::max<std::size_t>(options_.top * kTreeRowsATableRow, 20);
        const auto rows = tree_rows(folded_, options_.metric, limits);
        Table table;
        table.headings.push_back("share");
        add_heads(table.headings);
        table.headings.push_back("call path");
        const std::int64_t total = options_.metric.of(tree_.total[0]);
        if (rows.empty() || total <= 0) {
            out_ += "  nothing: no " + options_.metric.name + " was recorded\n";
            return;
        }
        for (const TreeRow& row : rows) {
            std::vector<Cell> cells{share_cell(options_.metric.of(row.costs), total)};
            add_times(cells, row.costs);
            const std::string guides = guides_of(row);
            if (!guides.empty()) {
                cells.push_back({guides, Ink::kDim});
            }
            add_row_text(cells, row, columns(guides));
            table.rows.push_back(std::move(cells));
        }
        out_ += render(style_, table);
    }

    // Deep trees stop moving to the right at a third of the line.
    std::string guides_of(const TreeRow& row) const {
        const std::size_t most = style_.width / 9;
        const std::size_t levels = row.is_last.size();
        const std::size_t first = levels > most ? levels - most : 1;
        std::string text;
        for (std::size_t level = first; level < levels; ++level) {
            const bool is_own = level + 1 == levels;
            text += is_own ? (row.is_last[level] ? sign().last : sign().branch)
                           : (row.is_last[level] ? sign().gap : sign().through);
        }
        return text;
    }

    void add_row_text(std::vector<Cell>& cells, const TreeRow& row, std::size_t guide_width) const {
        if (row.kind == TreeRow::Kind::kRest) {
            cells.push_back(
                {std::string(sign().ellipsis) + " " + count(static_cast<std::int64_t>(row.rest)) + " more",
                 Ink::kDim});
            return;
        }
        if (row.kind == TreeRow::Kind::kItself) {
            cells.push_back(
                {"in " + display_name(tree_, folded_.nodes[row.chain[0]].function) + " itself", Ink::kDim});
            return;
        }
        // A chain: what fits of its beginning, always its last two.
        std::vector<std::string> names;
        for (const std::uint32_t link : row.chain) {
            const CallNode& node = folded_.nodes[link];
            std::string name = display_name(tree_, node.function);
            if (node.recursion > 1) {
                name += " " + std::string(sign().times) + std::to_string(node.recursion);
            }
            names.push_back(node.inlined ? "[" + name + "]" : name);
        }
        const CallNode& end = folded_.nodes[row.chain.back()];
        const std::string where = end.kind == NodeKind::kFrame ? place(tree_, end.file, end.line) : std::string();
        const std::size_t figures =
            2 + 7 + 2 + 3 * 10 + (options_.metric.is_usual ? 0 : 2 + options_.metric.name.size());
        const std::size_t used = figures + guide_width + columns(where) + 2;
        const std::size_t room = style_.width > used + 20 ? style_.width - used : 20;
        std::size_t hidden = 0;
        const auto length = [&] {
            std::size_t sum = hidden == 0 ? 0 : columns(sign().ellipsis) + 8 + columns(sign().then);
            for (std::size_t i = 0; i < names.size(); ++i) {
                sum += columns(names[i]) + (i == 0 ? 0 : columns(sign().then));
            }
            return sum;
        };
        while (names.size() > 2 && length() > room) {
            names.erase(names.begin() + 1);
            ++hidden;
        }
        if (names.size() == 2 && length() > room) {
            names.erase(names.begin());
            ++hidden;
        }
        std::string before;
        for (std::size_t i = 0; i + 1 < names.size(); ++i) {
            before += names[i] + std::string(sign().then);
            if (i == 0 && hidden != 0) {
                before += fmt::format("{} {} {}{}", sign().ellipsis, hidden, "more", sign().then);
            }
        }
        if (names.size() == 1 && hidden != 0) {
            before = std::string(sign().ellipsis) + std::string(sign().then);
        }
        cells.push_back({before, Ink::kPlain});
        const std::size_t taken = columns(before);
        cells.push_back(
            {cut_begin(style_, names.back(), std::max<std::size_t>(room, taken + 12) - taken), Ink::kName});
        if (!where.empty()) {
            cells.push_back({"  " + where, Ink::kDim});
        }
    }

    // Row numbers by falling value; those without any value are left out.
    template <typename Value>
    std::vector<std::size_t> ranked(std::size_t rows, Value&& value) const {
        std::vector<std::size_t> order(rows);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::erase_if(order, [&](std::size_t row) { return value(row) <= 0; });
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
        return order;
    }

    void more(std::size_t shown, std::size_t all) {
        if (all > shown) {
            out_ += "  " +
                    paint(style_, Ink::kDim,
                          fmt::format("{} {} more (--top {})", sign().ellipsis,
                                      count(static_cast<std::int64_t>(all - shown)), all)) +
                    "\n";
        }
    }

    void functions() {
        const auto order = ranked(tree_.functions.size(),
                                  [&](std::size_t row) { return options_.metric.of(tree_.function_self[row]); });
        if (order.empty()) {
            return;
        }
        heading("Functions", by_metric() + " in the function itself; total: with what it calls");
        const std::int64_t total = options_.metric.of(tree_.total[0]);
        Table table;
        table.headings = {"self", "total"};
        add_heads(table.headings);
        table.headings.push_back("function");
        const std::size_t shown = std::min(order.size(), options_.top);
        for (std::size_t i = 0; i < shown; ++i) {
            const std::size_t row = order[i];
            std::vector<Cell> cells{share_cell(options_.metric.of(tree_.function_self[row]), total),
                                    {percent(share(options_.metric.of(tree_.function_total[row]), total))}};
            add_times(cells, tree_.function_self[row]);
            add_function(cells, tree_.functions[row].function, tree_.functions[row].file, tree_.functions[row].line);
            table.rows.push_back(std::move(cells));
        }
        out_ += render(style_, table);
        more(shown, order.size());
    }

    void lines() {
        const auto order =
            ranked(tree_.lines.size(), [&](std::size_t row) { return options_.metric.of(tree_.line_self[row]); });
        if (order.empty()) {
            return;
        }
        heading("Lines", by_metric());
        const std::int64_t total = options_.metric.of(tree_.total[0]);
        Table table;
        table.headings = {"share"};
        add_heads(table.headings);
        table.headings.push_back("line");
        const std::size_t shown = std::min(order.size(), options_.top);
        for (std::size_t i = 0; i < shown; ++i) {
            const LineCosts& line = tree_.lines[order[i]];
            std::vector<Cell> cells{share_cell(options_.metric.of(tree_.line_self[order[i]]), total)};
            add_times(cells, tree_.line_self[order[i]]);
            cells.push_back({place(tree_, line.file, line.line), Ink::kName});
            cells.push_back({"  " + display_name(tree_, line.function), Ink::kDim});
            table.rows.push_back(std::move(cells));
        }
        out_ += render(style_, table);
        more(shown, order.size());
    }

    void ranks() {
        if (profile_.ranks.empty()) {
            return;
        }
        const std::uint64_t size = profile_.ranks.front().size;
        heading("Ranks",
                fmt::format("{} of a job of {}", profile_.ranks.size(), size == 0 ? "?" : std::to_string(size)));
        Table table;
        table.headings = {"user", "system", "off-CPU", "samples", "rank"};
        const auto spread_row = [&](const char* name, const auto& pick) {
            std::vector<Cell> cells;
            for (const std::size_t column : {kUser, kSystem, kOffCpu}) {
                cells.push_back({pick(spread_over_ranks(profile_.ranks, column))});
            }
            cells.push_back({""});
            cells.push_back({name, Ink::kHeading});
            table.rows.push_back(std::move(cells));
        };
        spread_row("least", [&](const Spread& spread) { return time(spread.least); });
        spread_row("mean", [&](const Spread& spread) { return time(std::llround(spread.mean)); });
        spread_row("most", [&](const Spread& spread) { return time(spread.most); });
        const auto order =
            ranked(profile_.ranks.size(), [&](std::size_t i) { return processor_time(profile_.ranks[i].costs) + 1; });
        const std::size_t shown = std::min(order.size(), std::max<std::size_t>(options_.top, 1));
        for (std::size_t i = 0; i < shown; ++i) {
            const ProfileRank& rank = profile_.ranks[order[i]];
            table.rows.push_back({{time(rank.costs[kUser])},
                                  {time(rank.costs[kSystem])},
                                  {time(rank.costs[kOffCpu])},
                                  {count(rank.costs[kSamples])},
                                  {std::to_string(rank.rank), Ink::kName},
                                  {" on " + rank.host + ", " + quantity(rank.processes, "process", "processes") +
                                       ", " + quantity(rank.threads, "thread"),
                                   Ink::kDim}});
        }
        out_ += render(style_, table);
        more(shown, order.size());
    }

    // One line is no news: only where there are several.
    void processes() {
        if (profile_.processes.size() < 2) {
            return;
        }
        const std::vector<std::vector<std::int64_t>> costs = process_costs(profile_);
        const auto order = ranked(costs.size(), [&](std::size_t i) { return processor_time(costs[i]) + 1; });
        heading("Processes", "by time on a processor");
        Table table;
        table.headings = {"user", "system", "off-CPU", "samples", "process"};
        const std::size_t shown = std::min(order.size(), std::max<std::size_t>(options_.top, 1));
        for (std::size_t i = 0; i < shown; ++i) {
            const ProfileProcess& process = profile_.processes[order[i]];
            const std::vector<std::int64_t>& cost = costs[order[i]];
            std::vector<Cell> cells{{process.has_times ? time(cost[kUser]) : "?"},
                                    {process.is_monitored ? time(cost[kSystem]) : "?"},
                                    {process.has_times ? time(cost[kOffCpu]) : "?"},
                                    {process.is_monitored ? count(cost[kSamples]) : "-"},
                                    {process.name.empty() ? "(no name)" : process.name, Ink::kName}};
            std::string rest = " " + std::to_string(process.pid);
            if (process.rank != kNoRank) {
                rest += fmt::format(" rank {}", process.rank);
            }
            rest += fmt::format(" {} {}", sign().from, process.parent_pid);
            if (!process.exec_from.empty()) {
                rest += ", was " + process.exec_from.substr(process.exec_from.rfind('/') + 1);
            }
            if (!process.is_monitored) {
                rest += ": not measured, " + process.why_not;
            } else if (process.command.size() > 1) {
                rest += ": " + command_line({process.command.begin() + 1, process.command.end()});
            }
            cells.push_back({rest, Ink::kDim});
            table.rows.push_back(std::move(cells));
        }
        out_ += render(style_, table);
        more(shown, order.size());
    }

    void threads() {
        const auto order = ranked(profile_.threads.size(), [&](std::size_t i) {
            return std::max<std::int64_t>(options_.metric.of(profile_.threads[i].costs), 0) + 1;
        });
        heading("Threads", by_metric());
        Table table;
        table.headings = {"share"};
        add_heads(table.headings);
        table.headings.insert(table.headings.end(), {"on CPU", "samples", "thread"});
        const std::int64_t total = options_.metric.of(tree_.total[0]);
        const std::size_t shown = std::min(order.size(), std::max<std::size_t>(options_.top, 1));
        for (std::size_t i = 0; i < shown; ++i) {
            const ProfileThread& thread = profile_.threads[order[i]];
            std::vector<Cell> cells{share_cell(options_.metric.of(thread.costs), total)};
            add_times(cells, thread.costs);
            if (!thread.is_sampled) {
                // The kernel's switch records do not tell user from system time.
                cells[cells.size() - 2].text = "?";
                cells[0] = {"-"};
            }
            cells.push_back({percent(share(processor_time(thread.costs), wall_time(thread.costs)))});
            cells.push_back({thread.is_sampled ? count(thread.costs[kSamples]) : "-"});
            cells.push_back({thread.name.empty() ? "(no name)" : thread.name, Ink::kName});
            std::string rest = " " + std::to_string(thread.tid);
            if (profile_.processes.size() > 1) {
                rest += fmt::format(" in {}", profile_.processes[thread.process].pid);
            }
            if (const auto path = creation_path(profile_, tree_, thread); !path.empty()) {
                rest += " " + std::string(sign().from) + " " + tail(path);
            } else if (thread.creator != kNone) {
                const ProfileThread& creator = profile_.threads[thread.creator];
                rest += fmt::format(" {} thread {}", sign().from, creator.tid);
            }
            if (!thread.is_sampled) {
                rest += " (not sampled)";
            } else if (!thread.has_ended) {
                rest += " (no end recorded)";
            }
            cells.push_back({rest, Ink::kDim});
            table.rows.push_back(std::move(cells));
        }
        out_ += render(style_, table);
        more(shown, order.size());
    }

    // The program's own end of a creation path, which tells threads apart: without the library between it and the
    // system.
    std::string tail(const std::vector<std::string>& path) const {
        constexpr std::size_t kNames = 2;
        std::vector<std::string> own;
        std::copy_if(path.begin(), path.end(), std::back_inserter(own), [](const std::string& name) {
            return !name.starts_with("std::") && !name.starts_with("__") && !name.starts_with("pthread_create");
        });
        if (own.empty()) {
            own = path;
        }
        const std::size_t first = own.size() > kNames ? own.size() - kNames : 0;
        std::string text;
        for (std::size_t i = first; i < own.size(); ++i) {
            text += (i == first ? "" : std::string(sign().then)) + own[i];
        }
        return text;
    }

    void events() {
        if (profile_.events.empty()) {
            return;
        }
        heading("Events", "counted for the threads, and for the processes as a whole");
        Table table;
        table.headings = {"threads", "processes", "samples", "event"};
        for (std::size_t i = 0; i < profile_.events.size(); ++i) {
            const EventInfo& event = profile_.events[i];
            std::int64_t process_total = 0;
            bool is_known = false;
            for (const ProfileProcess& process : profile_.processes) {
                if (!process.totals.empty()) {
                    process_total += process.totals[i];
                    is_known = true;
                }
            }
            const auto value = [&](std::int64_t amount) { return event.unit == "ns" ? time(amount) : count(amount); };
            table.rows.push_back({{value(tree_.total[0][kFirstEvent + i])},
                                  {is_known ? value(process_total) : "-"},
                                  {i < profile_.samples_by_event.size() && event.mode != recording::EventMode::kCount
                                       ? count(static_cast<std::int64_t>(profile_.samples_by_event[i]))
                                       : "-"},
                                  {event.name, Ink::kName},
                                  {"  " + mode_text(event), Ink::kDim}});
        }
        out_ += render(style_, table);
    }

    std::string mode_text(const EventInfo& event) const {
        std::string text = "counted";
        if (event.mode == recording::EventMode::kPeriod) {
            text = "a sample every " + (event.unit == "ns" ? time(static_cast<std::int64_t>(event.value))
                                                           : count(static_cast<std::int64_t>(event.value)));
        } else if (event.mode == recording::EventMode::kFrequency) {
            text = count(static_cast<std::int64_t>(event.value)) + " samples a second";
        }
        return text + (event.user_only ? ", user mode only" : "");
    }

    void notes() {
        std::vector<std::string> all = profile_.warnings;
        all.insert(all.end(), tree_.symbols.warnings.begin(), tree_.symbols.warnings.end());
        if (all.empty()) {
            return;
        }
        heading("Notes");
        for (const std::string& note : all) {
            out_ += paint(style_, Ink::kWarning, wrap(style_, note, 2, 4));
        }
    }

    const Profile& profile_;
    const CallTree& tree_;
    const CallTree folded_;  // what the call paths are drawn from
    const ReportOptions& options_;
    const Style& style_;
    std::string out_;
};

}  // namespace

std::string terminal_report(const Profile& profile, const CallTree& tree, const ReportOptions& options) {
    return Report(profile, tree, options).text();
}

}  // namespace kymo::view
