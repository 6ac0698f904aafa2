#include "base/clean_text.h"
#include "spacetime/profile/ranks.h"
#include "view/summary.h"
#include "view/terminal/sections.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <unordered_map>

namespace kymo::view {

using namespace spacetime;

namespace {

// Its arguments. Servers write titles over these ("postgres: checkpointer"): then the first word is the
// title, and those behind are empty or pieces of it.
std::string arguments_of(const ProfileProcess& process) {
    if (process.command.empty()) {
        return {};
    }
    const bool is_title = process.command.front().find(' ') != std::string::npos;
    const bool is_blank = std::all_of(process.command.begin() + 1, process.command.end(),
                                      [](const std::string& word) { return word.empty(); });
    if (is_title) {
        return clean_text(process.command.front());
    }
    return is_blank ? std::string() : command_line({process.command.begin() + 1, process.command.end()});
}

std::size_t rows(const Sheet& sheet) {
    return sheet.options.rows(&ShortLimits::others);
}

}  // namespace

void ranks(Sheet& sheet) {
    if (sheet.profile.ranks.empty()) {
        return;
    }
    const std::uint64_t size = sheet.profile.ranks.front().size;
    sheet.heading("Ranks", fmt::format("{} of a job of {}", sheet.profile.ranks.size(),
                                       size == 0 ? "?" : std::to_string(size)));
    Table table;
    table.headings = {"user", "system", "off-CPU", "samples", "rank"};
    const auto spread_row = [&](const char* name, const auto& pick) {
        std::vector<Cell> cells;
        for (const std::size_t column : {kUser, kSystem, kOffCpu}) {
            cells.push_back({pick(spread_over_ranks(sheet.profile.ranks, column))});
        }
        cells.push_back({""});
        cells.push_back({name, Ink::kHeading});
        table.rows.push_back(std::move(cells));
    };
    spread_row("least", [&](const Spread& spread) { return sheet.time(spread.least); });
    spread_row("mean", [&](const Spread& spread) { return sheet.time(std::llround(spread.mean)); });
    spread_row("most", [&](const Spread& spread) { return sheet.time(spread.most); });
    const auto order = sheet.ranked(sheet.profile.ranks.size(),
                                    [&](std::size_t i) { return processor_time(sheet.profile.ranks[i].costs) + 1; });
    const std::size_t shown = std::min(order.size(), rows(sheet));
    for (std::size_t i = 0; i < shown; ++i) {
        const ProfileRank& rank = sheet.profile.ranks[order[i]];
        table.rows.push_back({{sheet.time(rank.costs[kUser])},
                              {sheet.time(rank.costs[kSystem])},
                              {sheet.time(rank.costs[kOffCpu])},
                              {count(rank.costs[kSamples])},
                              {std::to_string(rank.rank), Ink::kName},
                              {" on " + rank.host + ", " + quantity(rank.processes, "process", "processes") + ", " +
                                   quantity(rank.threads, "thread"),
                               Ink::kDim}});
    }
    sheet.out += render(sheet.style, table);
    if (shown != 0) {
        sheet.more(shown, order.size());
    }
}

// If there are many processes: their programs, how often each, and the process of each with most.
void programs(Sheet& sheet) {
    if (sheet.profile.processes.size() <= kManyProcesses) {
        return;
    }
    struct Program {
        std::int64_t processes = 0;
        std::vector<std::int64_t> costs = std::vector<std::int64_t>(kSamples + 1);
        std::size_t most = 0;  // that process
    };
    const std::vector<std::vector<std::int64_t>> costs = process_costs(sheet.profile);
    std::vector<Program> all;
    std::unordered_map<std::string_view, std::size_t> by_name;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const auto [at, is_new] = by_name.try_emplace(sheet.profile.processes[i].name, all.size());
        if (is_new) {
            all.push_back({.most = i});
        }
        Program& program = all[at->second];
        ++program.processes;
        for (std::size_t column = 0; column < program.costs.size(); ++column) {
            program.costs[column] += costs[i][column];
        }
        if (processor_time(costs[i]) > processor_time(costs[program.most])) {
            program.most = i;
        }
    }
    const auto order = sheet.ranked(all.size(), [&](std::size_t i) { return processor_time(all[i].costs) + 1; });
    sheet.heading("Programs", quantity(costs.size(), "process", "processes") + " by program");
    Table table;
    table.headings = {"user", "system", "off-CPU", "samples", "processes", "program"};
    const std::size_t shown = std::min(order.size(), std::max<std::size_t>(rows(sheet), 1));
    for (std::size_t i = 0; i < shown; ++i) {
        const Program& program = all[order[i]];
        const ProfileProcess& most = sheet.profile.processes[program.most];
        std::string rest;
        if (program.processes > 1) {
            rest = fmt::format("  most: {}, {}", most.pid, sheet.time(processor_time(costs[program.most])));
        }
        table.rows.push_back({{sheet.time(program.costs[kUser])},
                              {sheet.time(program.costs[kSystem])},
                              {sheet.time(program.costs[kOffCpu])},
                              {count(program.costs[kSamples])},
                              {count(program.processes)},
                              {most.name.empty() ? "(no name)" : most.name, Ink::kName},
                              {rest, Ink::kDim}});
    }
    sheet.out += render(sheet.style, table);
    sheet.more(shown, order.size());
}

// One line would add nothing: only if there are several.
void processes(Sheet& sheet) {
    if (sheet.profile.processes.size() < 2) {
        return;
    }
    const std::vector<std::vector<std::int64_t>> costs = process_costs(sheet.profile);
    const auto order = sheet.ranked(costs.size(), [&](std::size_t i) { return processor_time(costs[i]) + 1; });
    sheet.heading("Processes", "by time on a processor");
    Table table;
    table.headings = {"user", "system", "off-CPU", "samples", "process"};
    const std::size_t shown = std::min(order.size(), std::max<std::size_t>(sheet.options.top, 1));
    for (std::size_t i = 0; i < shown; ++i) {
        const ProfileProcess& process = sheet.profile.processes[order[i]];
        const std::vector<std::int64_t>& cost = costs[order[i]];
        std::vector<Cell> cells{{process.has_times ? sheet.time(cost[kUser]) : "?"},
                                {process.is_monitored ? sheet.time(cost[kSystem]) : "?"},
                                {process.has_times ? sheet.time(cost[kOffCpu]) : "?"},
                                {process.is_monitored ? count(cost[kSamples]) : "-"},
                                {process.name.empty() ? "(no name)" : process.name, Ink::kName}};
        std::string rest = " " + std::to_string(process.pid);
        if (process.rank != kNoRank) {
            rest += fmt::format(" rank {}", process.rank);
        }
        rest += fmt::format(" {} {}", sheet.sign().from, process.parent_pid);
        if (!process.exec_from.empty()) {
            rest += ", was " + process.exec_from.substr(process.exec_from.rfind('/') + 1);
        }
        if (!process.is_monitored) {
            rest += ": not measured, " + process.why_not;
        } else if (const std::string arguments = arguments_of(process); !arguments.empty()) {
            rest += ": " + arguments;
        }
        cells.push_back({rest, Ink::kDim});
        table.rows.push_back(std::move(cells));
    }
    sheet.out += render(sheet.style, table);
    sheet.more(shown, order.size());
}

}  // namespace kymo::view
