#include "view/address_map.h"

#include "view/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <vector>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

// An area over all of its changes.
struct Life {
    const AreaSpan* first = nullptr;
    const AreaSpan* last = nullptr;
    const AreaSpan* owned = nullptr;  // the last span that has an owner
    std::uint64_t most = 0;           // bytes
};

std::vector<Life> lives_of(const ProcessMap& process) {
    std::map<std::uint32_t, Life> by_number;
    for (const AreaSpan& area : process.areas) {
        Life& life = by_number[area.number];
        life.first = life.first == nullptr ? &area : life.first;
        life.last = &area;
        life.owned = area.owner ? &area : life.owned;
        life.most = std::max(life.most, area.end - area.begin);
    }
    std::vector<Life> lives;
    lives.reserve(by_number.size());
    for (const auto& [number, life] : by_number) {
        lives.push_back(life);
    }
    std::stable_sort(lives.begin(), lives.end(), [](const Life& a, const Life& b) { return a.most > b.most; });
    return lives;
}

std::string account_text(const ProcessMap& process) {
    if (!process.account) {
        return "its end was not recorded";
    }
    std::string text = "read " + quantity(process.account->readings + process.outside_readings, "time");
    if (!process.has_ended) {
        text += "; its end was not recorded";
    }
    if (process.account->passed_over != 0) {
        text += fmt::format(", {} moments passed over to keep the cost down",
                            count(static_cast<std::int64_t>(process.account->passed_over)));
    }
    if (process.account->lost != 0) {
        text += fmt::format("; {} had no room", quantity(process.account->lost, "area"));
    }
    return text;
}

std::string more_rows(const Style& style, std::size_t all, std::size_t top) {
    return all <= top ? std::string()
                      : "  " +
                            paint(style, Ink::kDim,
                                  fmt::format("{} {} more (--top {})", signs(style).ellipsis, all - top, all)) +
                            "\n";
}

std::string process_table(const Style& style, const Profile& profile, const ProcessMap& process, std::size_t top) {
    const FileClock clock(profile, process.file);
    const std::vector<Life> lives = lives_of(process);
    std::string out = paint(style, Ink::kHeading, fmt::format("Address map of process {}", process.pid)) + "  " +
                      paint(style, Ink::kDim, quantity(lives.size(), "area") + ", " + account_text(process)) + "\n";
    Table table;
    table.headings = {"at most", "seen", "gone", "access", "begins at", "area"};
    for (std::size_t i = 0; i < std::min(top, lives.size()); ++i) {
        const Life& life = lives[i];
        const AreaSpan& named = life.owned != nullptr ? *life.owned : *life.last;
        table.rows.push_back(
            {{byte_size(life.most)},
             {fmt::format("{:.4f} s", clock.since_start(life.first->seen))},
             {life.last->gone ? fmt::format("{:.4f} s", clock.since_start(*life.last->gone)) : std::string()},
             {access_text(life.last->protection)},
             {fmt::format("{:x}", life.last->begin)},
             {area_name(named), Ink::kName}});
    }
    return out + render(style, table) + more_rows(style, lives.size(), top);
}

struct FaultSums {
    std::uint64_t samples = 0;
    std::uint64_t faults = 0;
};

FaultSums sums_of(const ProcessMap& process) {
    FaultSums sums;
    for (const RegionFaults& region : process.faults) {
        sums.samples += region.samples;
        sums.faults += region.faults;
    }
    return sums;
}

std::string fault_table(const Style& style, const ProcessMap& process, std::size_t top) {
    const FaultSums all = sums_of(process);
    std::string out =
        paint(style, Ink::kHeading, "Page faults by region") + "  " +
        paint(style, Ink::kDim, quantity(all.samples, "sample") + " with an address, each for so many faults") + "\n";
    Table table;
    table.headings = {"faults", "share", "samples", "region"};
    for (std::size_t i = 0; i < std::min(top, process.faults.size()); ++i) {
        const RegionFaults& region = process.faults[i];
        table.rows.push_back({{count(static_cast<std::int64_t>(region.faults))},
                              {percent(static_cast<double>(region.faults) / static_cast<double>(all.faults))},
                              {count(static_cast<std::int64_t>(region.samples))},
                              {region.name, Ink::kName}});
    }
    return out + render(style, table) + more_rows(style, process.faults.size(), top);
}

Json json_faults(const ProcessMap& process) {
    Json regions = Json::array();
    for (const RegionFaults& region : process.faults) {
        regions.push_back({{"name", region.name},
                           {"kind", region.area ? Json(area_kind_key(*region.area)) : Json(nullptr)},
                           {"samples", region.samples},
                           {"faults", region.faults}});
    }
    return regions;
}

}  // namespace

FileClock::FileClock(const Profile& profile, std::uint32_t file) : begin_(profile.begin) {
    for (const ProfileStream& stream : profile.streams) {
        shift_ = stream.file == file ? stream.shift_ns : shift_;
    }
}

double FileClock::since_start(std::uint64_t time) const {
    return seconds(ns_since_start(time));
}

std::string access_text(std::uint64_t protection) {
    using namespace recording;
    const auto letter = [&](std::uint64_t bit, char set, char unset) {
        return (protection & bit) != 0 ? set : unset;
    };
    return {letter(kAreaRead, 'r', '-'), letter(kAreaWrite, 'w', '-'), letter(kAreaExecute, 'x', '-'),
            letter(kAreaShared, 's', 'p')};
}

std::string area_kind_key(const AreaSpan& area) {
    using recording::AreaKind;
    switch (area.kind) {
        case AreaKind::kFile:
            return "file";
        case AreaKind::kHeap:
            return "heap";
        case AreaKind::kMainStack:
            return "stack";
        case AreaKind::kShared:
            return "shared";
        case AreaKind::kKernel:
            return "kernel";
        default:
            return area.owner ? "stack" : "anonymous";
    }
}

std::string terminal_address_map(const Style& style, const Profile& profile, const AddressMap& map, std::size_t top) {
    if (map.processes.empty()) {
        return wrap(style,
                    "The address map is not known: nothing was recorded of it (an older Kymo, programs without the "
                    "monitor, no /proc, or processes that ended before their first sample).",
                    0, 0);
    }
    std::string out;
    for (const ProcessMap& process : map.processes) {
        out += (out.empty() ? "" : "\n") + process_table(style, profile, process, top);
        if (!process.faults.empty()) {
            out += "\n" + fault_table(style, process, top);
        }
    }
    return out + paint(style, Ink::kDim,
                       wrap(style,
                            "Seen, gone: when it was noticed, at readings of the kernel's list: behind waits while "
                            "there was one thread, when the size had changed, and at the end. Memory that Kymo has "
                            "taken in the program is among it.",
                            2, 2));
}

Json json_address_map(const Profile& profile, const AddressMap& map) {
    Json json = Json::array();
    for (const ProcessMap& process : map.processes) {
        const FileClock clock(profile, process.file);
        Json areas = Json::array();
        for (const AreaSpan& area : process.areas) {
            areas.push_back({{"number", area.number},
                             {"name", area_name(area)},
                             {"kind", area_kind_key(area)},
                             {"begin", fmt::format("{:#x}", area.begin)},
                             {"end", fmt::format("{:#x}", area.end)},
                             {"bytes", area.end - area.begin},
                             {"access", access_text(area.protection)},
                             {"path", area.path.empty() ? Json(nullptr) : Json(area.path)},
                             {"tid", area.owner ? Json(*area.owner) : Json(nullptr)},
                             {"seen_s", clock.since_start(area.seen)},
                             {"gone_s", area.gone ? Json(clock.since_start(*area.gone)) : Json(nullptr)}});
        }
        const auto known = [&](std::uint64_t ProcessMap::Account::* figure) {
            return process.account ? Json((*process.account).*figure) : Json(nullptr);
        };
        json.push_back({{"pid", process.pid},
                        {"readings", known(&ProcessMap::Account::readings)},
                        {"outside_readings", process.outside_readings},
                        {"passed_over_readings", known(&ProcessMap::Account::passed_over)},
                        {"lost_rows", known(&ProcessMap::Account::lost)},
                        {"areas", std::move(areas)},
                        {"page_faults_by_region", json_faults(process)}});
    }
    return json;
}

}  // namespace kymo::view
