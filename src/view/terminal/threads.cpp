#include "view/summary.h"
#include "view/terminal/sections.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::view {
namespace {

using namespace spacetime;

// The program's own end of a creation path, which distinguishes threads: without the library between it and the
// system.
std::string tail(const Sheet& sheet, const std::vector<std::string>& path) {
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
        text += (i == first ? "" : std::string(sheet.sign().then)) + own[i];
    }
    return text;
}

}  // namespace

void threads(Sheet& sheet) {
    const auto order = sheet.ranked(sheet.profile.threads.size(), [&](std::size_t i) {
        return std::max<std::int64_t>(sheet.options.metric.of(sheet.profile.threads[i].costs), 0) + 1;
    });
    sheet.heading("Threads", sheet.by_metric());
    Table table;
    table.headings = {"share"};
    sheet.add_heads(table.headings);
    table.headings.insert(table.headings.end(), {"busy", "samples", "thread"});
    const std::int64_t total = sheet.options.metric.of(sheet.tree.total[0]);
    const std::size_t shown = std::min(order.size(), std::max<std::size_t>(sheet.options.top, 1));
    for (std::size_t i = 0; i < shown; ++i) {
        const ProfileThread& thread = sheet.profile.threads[order[i]];
        std::vector<Cell> cells{sheet.share_cell(sheet.options.metric.of(thread.costs), total)};
        sheet.add_times(cells, thread.costs);
        if (!thread.is_sampled) {
            // The kernel's switch records do not distinguish user from system time.
            cells[cells.size() - 2].text = sheet.is_narrow() ? cells[cells.size() - 2].text : "?";
            cells[0] = {"-"};
        }
        cells.push_back({percent(share(processor_time(thread.costs), wall_time(thread.costs)))});
        cells.push_back({thread.is_sampled ? count(thread.costs[kSamples]) : "-"});
        cells.push_back({thread.name.empty() ? "(no name)" : thread.name, Ink::kName});
        std::string rest = " " + std::to_string(thread.tid);
        if (sheet.profile.processes.size() > 1) {
            rest += fmt::format(" in {}", sheet.profile.processes[thread.process].pid);
        }
        if (const auto path = creation_path(sheet.profile, sheet.tree, thread); !path.empty()) {
            rest += " " + std::string(sheet.sign().from) + " " + tail(sheet, path);
        } else if (thread.creator != kNone) {
            const ProfileThread& creator = sheet.profile.threads[thread.creator];
            rest += fmt::format(" {} thread {}", sheet.sign().from, creator.tid);
        }
        if (!thread.is_sampled) {
            rest += " (not sampled)";
        } else if (!thread.has_ended) {
            rest += " (no end recorded)";
        }
        cells.push_back({rest, Ink::kDim});
        table.rows.push_back(std::move(cells));
    }
    sheet.out += render(sheet.style, table);
    sheet.more(shown, order.size());
}

}  // namespace kymo::view
