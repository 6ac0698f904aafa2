#include "view/memory/memory.h"

#include "view/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;
using Points = std::vector<MemoryPoint>;

constexpr std::size_t kCourseSigns = 20;  // of a course
constexpr std::size_t kJsonParts = 60;    // in JSON

std::string at_text(const Profile& profile, std::uint64_t time) {
    return fmt::format("{:.2f} s", seconds(time - std::min(time, profile.begin)));
}

// The last value; of all processes together, while there was one.
std::uint64_t last_of(const Points& points) {
    const auto last = std::find_if(points.rbegin(), points.rend(),
                                   [](const MemoryPoint& point) { return point.resident_bytes != 0; });
    return last == points.rend() ? 0 : last->resident_bytes;
}

std::string course_of(const Style& style, const Profile& profile, const Points& points,
                      std::optional<std::uint64_t> ended) {
    std::vector<double> heights;
    for (const auto& highest : highest_by_part(points, ended, profile.begin, profile.end, kCourseSigns)) {
        heights.push_back(static_cast<double>(highest.value_or(0)));
    }
    return course(style, heights);
}

std::vector<Cell> row_of(const Style& style, const Profile& profile, const Points& points,
                         std::optional<std::uint64_t> ended, Cell name) {
    const MemoryPoint& peak = peak_of(points);
    return {{byte_size(points.front().resident_bytes)},
            {byte_size(peak.resident_bytes)},
            {at_text(profile, peak.time)},
            {byte_size(last_of(points))},
            {course_of(style, profile, points, ended), Ink::kWarm},
            std::move(name)};
}

// By number and rank: an exec makes another image of the same process.
std::size_t unknown_processes(const Profile& profile, const MemoryOverTime& memory) {
    std::set<std::pair<std::uint64_t, std::uint64_t>> unknown;
    for (const ProfileProcess& process : profile.processes) {
        const bool is_known =
            std::any_of(memory.processes.begin(), memory.processes.end(), [&](const ProcessMemory& each) {
                return each.pid == process.pid && (!each.rank || *each.rank == process.rank);
            });
        if (!is_known) {
            unknown.insert({process.pid, process.rank});
        }
    }
    return unknown.size();
}

std::string notes_of(const Profile& profile, const MemoryOverTime& memory) {
    const MemoryPoint& highest = peak_of(memory.processes.front().points);
    std::string text = fmt::format("Of the highest {}, {} were pages of files and shared memory",
                                   byte_size(highest.resident_bytes), byte_size(highest.shared_bytes));
    text += memory.processes.size() > 1 ? "; together, what processes share counts in each of them. " : ". ";
    if (profile.peak_bytes >= highest.resident_bytes) {
        text += fmt::format(
            "Between the readings no process had more than {}, as the kernel says of those that were "
            "waited for. ",
            byte_size(profile.peak_bytes));
    }
    if (const std::size_t unknown = unknown_processes(profile, memory); unknown != 0) {
        text += fmt::format("Not known of {}: ended before a reading, or not seen by kymo record. ",
                            quantity(unknown, "process", "processes"));
    }
    return text + "Values are right within 64 KiB or 1 %.";
}

Json json_course(const Profile& profile, const Points& points, std::optional<std::uint64_t> ended) {
    const auto since_start = [&](std::uint64_t time) {
        return seconds(static_cast<std::int64_t>(time - profile.begin));
    };
    const MemoryPoint& peak = peak_of(points);
    Json highest = Json::array();
    for (const auto& part : highest_by_part(points, ended, profile.begin, profile.end, kJsonParts)) {
        highest.push_back(part ? Json(*part) : Json(nullptr));
    }
    return {{"first_bytes", points.front().resident_bytes},
            {"first_s", since_start(points.front().time)},
            {"peak_bytes", peak.resident_bytes},
            {"peak_shared_bytes", peak.shared_bytes},
            {"peak_s", since_start(peak.time)},
            {"last_bytes", last_of(points)},
            {"ended_s", ended ? Json(since_start(*ended)) : Json(nullptr)},
            {"highest_bytes", std::move(highest)}};
}

}  // namespace

std::string memory_name(const Profile& profile, const ProcessMemory& process) {
    const ProfileProcess* found = nullptr;
    const std::uint64_t last = process.ended.value_or(process.points.back().time);
    for (const ProfileProcess& each : profile.processes) {
        if (each.pid == process.pid && (!process.rank || *process.rank == each.rank) && each.begin <= last &&
            (found == nullptr || each.begin >= found->begin)) {
            found = &each;
        }
    }
    const std::string number = std::to_string(process.pid);
    const std::string name =
        found == nullptr || found->name.empty() ? "process " + number : found->name + " " + number;
    return process.rank ? fmt::format("{}, rank {}", name, *process.rank) : name;
}

std::string memory_line(const Style& style, const Profile& profile, const MemoryOverTime& memory) {
    if (!memory.is_known()) {
        return {};
    }
    const MemoryPoint& peak = peak_of(memory.all);
    std::string text =
        fmt::format("Memory: {} at first, at most {} at {}, {} last", byte_size(memory.all.front().resident_bytes),
                    byte_size(peak.resident_bytes), at_text(profile, peak.time), byte_size(last_of(memory.all)));
    if (memory.processes.size() > 1) {
        const ProcessMemory& largest = memory.processes.front();
        text = fmt::format("Memory: at most {} at {} in {}, {} in {}", byte_size(peak.resident_bytes),
                           at_text(profile, peak.time), quantity(memory.processes.size(), "process", "processes"),
                           byte_size(peak_of(largest.points).resident_bytes), memory_name(profile, largest));
    }
    return "  " + cut_end(style, text, style.width - 2) + "\n";
}

std::string terminal_memory(const Style& style, const Profile& profile, const MemoryOverTime& memory,
                            std::size_t top) {
    std::string out = "\n" + paint(style, Ink::kHeading, "Memory over time");
    if (!memory.is_known()) {
        return out + "\n" + wrap(style, "Not known: " + memory.why_not + ".", 2, 2);
    }
    out += "  " + paint(style, Ink::kDim, "resident, read by kymo record from outside") + "\n";
    Table table;
    table.headings = {"first", "peak", "at", "last", "over the run", "process"};
    if (memory.processes.size() > 1) {
        table.rows.push_back(row_of(style, profile, memory.all, std::nullopt,
                                    {fmt::format("all {} together", memory.processes.size()), Ink::kHeading}));
    }
    const std::size_t shown = std::min(top, memory.processes.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const ProcessMemory& process = memory.processes[i];
        table.rows.push_back(
            row_of(style, profile, process.points, process.ended, {memory_name(profile, process), Ink::kName}));
    }
    out += render(style, table);
    if (shown < memory.processes.size()) {
        out += fmt::format("  and {} more (--top)\n", memory.processes.size() - shown);
    }
    return out + paint(style, Ink::kDim, wrap(style, notes_of(profile, memory), 2, 2));
}

Json json_memory(const Profile& profile, const MemoryOverTime& memory) {
    Json processes = Json::array();
    for (const ProcessMemory& process : memory.processes) {
        Json one{{"pid", process.pid},
                 {"rank", process.rank ? Json(*process.rank) : Json(nullptr)},
                 {"name", memory_name(profile, process)}};
        one.update(json_course(profile, process.points, process.ended));
        processes.push_back(std::move(one));
    }
    return {{"why_not", memory.is_known() ? Json(nullptr) : Json(memory.why_not)},
            {"bin_s", seconds(static_cast<std::int64_t>(profile.end - profile.begin)) / kJsonParts},
            {"unknown_processes", unknown_processes(profile, memory)},
            {"together", memory.is_known() ? json_course(profile, memory.all, std::nullopt) : Json(nullptr)},
            {"processes", std::move(processes)}};
}

}  // namespace kymo::view
