#include "view/states.h"

#include "view/terminal/sections.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::view {
namespace {

using namespace spacetime;

constexpr std::size_t kNameWidth = 22;

std::string name_of(const Sheet& sheet, const ProfileThread& thread) {
    const std::string tid = " " + std::to_string(thread.tid);
    const ProfileProcess& process = sheet.profile.processes[thread.process];
    if (process.rank != kNoRank) {
        const std::string rank = "rank " + std::to_string(process.rank) + " ";
        return rank + cut_end(sheet.style, thread.name, kNameWidth - columns(rank) - columns(tid)) + tid;
    }
    return cut_end(sheet.style, thread.name.empty() ? "(no name)" : thread.name, kNameWidth - columns(tid)) + tid;
}

void add_figures(const Sheet& sheet, Table& table, const StateSums& sums, std::int64_t run_queue,
                 const SwitchCounts& switches, bool is_known, std::string name) {
    const auto number = [&](std::uint64_t value) {
        return is_known ? count(static_cast<std::int64_t>(value)) : std::string("?");
    };
    table.rows.push_back({{sheet.time(run_queue)},
                          {sheet.time(sums[ThreadState::kWaiting])},
                          {sheet.time(sums[ThreadState::kSpinning])},
                          {sheet.time(sums[ThreadState::kOff])},
                          {number(switches.voluntary)},
                          {number(switches.involuntary)},
                          {std::move(name), Ink::kName}});
}

// The threads by the report's metric, those without known states last.
std::vector<std::size_t> order_of(const Sheet& sheet) {
    const auto& threads = sheet.profile.threads;
    return sheet.ranked(threads.size(), [&](std::size_t i) {
        return std::max<std::int64_t>(sheet.options.metric.of(threads[i].costs), 0) + 1;
    });
}

// One that would be "1 others" has a line as well.
std::size_t shown_of(const Sheet& sheet, const std::vector<std::size_t>& order) {
    const std::size_t most = std::max<std::size_t>(sheet.options.rows(&ShortLimits::threads), 1);
    return order.size() == most + 1 ? order.size() : std::min(order.size(), most);
}

std::string others(const std::vector<std::size_t>& order, std::size_t shown) {
    return fmt::format("{} others", order.size() - shown);
}

}  // namespace

void threads_over_time(Sheet& sheet) {
    const Profile& profile = sheet.profile;
    if (profile.end <= profile.begin || profile.threads.empty()) {
        return;
    }
    const auto order = order_of(sheet);
    const std::size_t shown = shown_of(sheet, order);
    const std::size_t width = std::max<std::size_t>(sheet.style.width, kNameWidth + 24) - kNameWidth - 4;
    sheet.heading("Threads over time",
                  fmt::format("a sign: what took most of {}",
                              sheet.time(static_cast<std::int64_t>((profile.end - profile.begin) / width))));
    StripSums seen{};  // what the shown characters mean
    const auto add_line = [&](const std::string& name, std::span<const StripSums> strip) {
        sheet.out += "  " + paint(sheet.style, Ink::kName, pad_right(name, kNameWidth)) + "  " +
                     strip_text(sheet.style, strip) + "\n";
        for (const StripSums& sums : strip) {
            const auto most = std::max_element(sums.begin(), sums.end());
            seen.at(static_cast<std::size_t>(most - sums.begin())) += *most;
        }
    };
    for (std::size_t i = 0; i < shown; ++i) {
        const ProfileThread& thread = profile.threads[order[i]];
        std::vector<StripSums> strip(width);
        add_strip(thread, profile.begin, profile.end, strip);
        add_line(name_of(sheet, thread), strip);
    }
    if (shown < order.size()) {
        std::vector<StripSums> strip(width);
        for (std::size_t i = shown; i < order.size(); ++i) {
            add_strip(profile.threads[order[i]], profile.begin, profile.end, strip);
        }
        add_line(others(order, shown), strip);
    }
    sheet.out += wrap(sheet.style, strip_legend(sheet.style, {&seen, 1}), 2, 2);
}

void off_the_processor(Sheet& sheet) {
    const Profile& profile = sheet.profile;
    if (profile.end <= profile.begin || profile.threads.empty()) {
        return;
    }
    const auto order = order_of(sheet);
    const std::size_t shown = shown_of(sheet, order);
    Table table;
    table.headings = {"run queue", "waiting", "spinning", "off", "vol.", "invol.", "thread"};
    for (std::size_t i = 0; i < shown; ++i) {
        const ProfileThread& thread = profile.threads[order[i]];
        add_figures(sheet, table, thread.states.sums(), thread.run_queue_ns, thread.switches,
                    thread.figures_from != ThreadFigures::kNone, name_of(sheet, thread));
    }
    if (shown < order.size()) {
        StateSums sums;
        std::int64_t run_queue = 0;
        SwitchCounts switches;
        bool is_known = true;
        for (std::size_t i = shown; i < order.size(); ++i) {
            const ProfileThread& thread = profile.threads[order[i]];
            sums += thread.states.sums();
            run_queue += thread.run_queue_ns;
            switches += thread.switches;
            is_known = is_known && thread.figures_from != ThreadFigures::kNone;
        }
        add_figures(sheet, table, sums, run_queue, switches, is_known, others(order, shown));
    }
    const bool by_records =
        std::any_of(profile.threads.begin(), profile.threads.end(),
                    [](const ProfileThread& thread) { return thread.figures_from == ThreadFigures::kSwitchRecords; });
    sheet.heading("Off the processor",
                  by_records ? "why, and how often a thread left it by itself or because another got it"
                             : "context switches and run-queue time as the kernel reported at each thread's end");
    sheet.out += render(sheet.style, table);
}

}  // namespace kymo::view
