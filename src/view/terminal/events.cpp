#include "base/metric_event.h"
#include "view/terminal/sections.h"

#include <fmt/format.h>

namespace kymo::view {
namespace {

using namespace spacetime;

std::string mode_text(const Sheet& sheet, const EventInfo& event) {
    std::string text = "counted";
    if (event.mode == recording::EventMode::kPeriod) {
        text = "a sample every " + (event.unit == "ns" ? sheet.time(static_cast<std::int64_t>(event.value))
                                                       : count(static_cast<std::int64_t>(event.value)));
    } else if (event.mode == recording::EventMode::kFrequency) {
        text = count(static_cast<std::int64_t>(event.value)) + " samples a second";
    }
    return text + (event.user_only ? ", user mode only" : "");
}

}  // namespace

void events(Sheet& sheet) {
    if (sheet.profile.events.empty()) {
        return;
    }
    sheet.heading("Events", "counted for the threads, and for the processes as a whole");
    Table table;
    table.headings = {"threads", "processes", "samples", "event"};
    for (std::size_t i = 0; i < sheet.profile.events.size(); ++i) {
        const EventInfo& event = sheet.profile.events[i];
        std::int64_t process_total = 0;
        bool is_known = false;
        for (const ProfileProcess& process : sheet.profile.processes) {
            if (!process.totals.empty() && !is_metric_event(event.name)) {
                process_total += process.totals[i];
                is_known = true;
            }
        }
        const auto value = [&](std::int64_t amount) {
            return event.unit == "ns" ? sheet.time(amount) : count(amount);
        };
        table.rows.push_back({{value(sheet.tree.total[0][kFirstEvent + i])},
                              {is_known ? value(process_total) : "-"},
                              {i < sheet.profile.samples_by_event.size() && event.mode != recording::EventMode::kCount
                                   ? count(static_cast<std::int64_t>(sheet.profile.samples_by_event[i]))
                                   : "-"},
                              {event.name, Ink::kName},
                              {"  " + mode_text(sheet, event), Ink::kDim}});
    }
    sheet.out += render(sheet.style, table);
}

}  // namespace kymo::view
