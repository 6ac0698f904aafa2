#include "view/processor/accesses.h"

#include "program/demangle.h"
#include "view/processor/code_words.h"
#include "view/table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace kymo::view {
namespace {

using spacetime::AccessesOfCode;
using spacetime::AccessPlace;
using spacetime::AccessSum;
using spacetime::kMemoryLevels;
using spacetime::MemoryAccesses;
using spacetime::MemoryLevel;
using spacetime::PageSizes;
using spacetime::Profile;
using spacetime::SharedLine;
using spacetime::UsedLine;
using Json = nlohmann::ordered_json;

constexpr double kLeastLevel = 0.005;  // share of a place's accesses that is shown

double ratio_of(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string amount(std::uint64_t value) {
    return count(static_cast<std::int64_t>(value));
}

std::string mean_words(const Style& style, const AccessSum& sum) {
    return sum.timed == 0 ? std::string(signs(style).dot) : fmt::format("{:.0f}", ratio_of(sum.cycles, sum.timed));
}

// "L1 80.0 %,", "memory 20.0 %": most accesses first.
std::vector<std::string> level_words(const std::array<AccessSum, kMemoryLevels>& levels, std::uint64_t all) {
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (std::size_t i = 0; i < kMemoryLevels; ++i) {
        if (ratio_of(levels.at(i).accesses, all) >= kLeastLevel) {
            order.emplace_back(levels.at(i).accesses, i);
        }
    }
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string> words;
    for (const auto& [accesses, level] : order) {
        words.push_back(fmt::format("{} {}{}", info_of(static_cast<MemoryLevel>(level)).words,
                                    percent(ratio_of(accesses, all)), words.size() + 1 < order.size() ? "," : ""));
    }
    return words;
}

// "4 KiB".
std::string page_words(std::uint64_t bytes) {
    constexpr std::uint64_t kUnit = 1024;
    constexpr std::array<std::string_view, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    for (bytes /= kUnit; bytes >= kUnit && unit + 1 < kUnits.size(); bytes /= kUnit) {
        ++unit;
    }
    return fmt::format("{} {}", bytes, kUnits.at(unit));
}

// "4 KiB 80.0 %, 2 MiB 20.0 %", of the accesses whose page is known: small pages first.
std::string pages_words(const PageSizes& pages) {
    std::uint64_t all = 0;
    for (const auto& [bytes, sum] : pages) {
        all += sum.accesses;
    }
    std::string words;
    for (const auto& [bytes, sum] : pages) {
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", page_words(bytes),
                             percent(ratio_of(sum.accesses, all)));
    }
    return words;
}

bool is_shared_falsely(const Profile& profile, std::span<const SharedLine> falsely, const UsedLine& line) {
    return std::any_of(falsely.begin(), falsely.end(), [&](const SharedLine& shared) {
        return shared.address == line.address && profile.processes[shared.process].pid == line.pid;
    });
}

void rest_of(const Style& style, std::size_t shown, std::size_t all, std::string& out) {
    if (shown < all) {
        out += "  " + paint(style, Ink::kDim, fmt::format("{} {} more", signs(style).ellipsis, all - shown)) + "\n";
    }
}

std::string level_table(const Style& style, const MemoryAccesses& accesses) {
    Table table{.headings = {"of cycles", "accesses", "of all", "mean cycles", "level"}, .rows = {}};
    for (std::size_t i = 0; i < kMemoryLevels; ++i) {
        const AccessSum& sum = accesses.levels.at(i);
        if (sum.accesses != 0) {
            table.rows.push_back({{percent(ratio_of(sum.cycles, accesses.all.cycles))},
                                  {amount(sum.accesses)},
                                  {percent(ratio_of(sum.accesses, accesses.all.accesses))},
                                  {mean_words(style, sum)},
                                  {std::string(info_of(static_cast<MemoryLevel>(i)).words), Ink::kName}});
        }
    }
    return render(style, table);
}

std::string place_table(const Style& style, const MemoryAccesses& accesses, std::size_t top) {
    Table table{.headings = {"of cycles", "accesses", "mean cycles", "code"}, .rows = {}};
    for (std::size_t i = 0; i < std::min(accesses.places.size(), top); ++i) {
        const AccessPlace& place = accesses.places[i];
        const AccessSum sum = place.accesses.all();
        const std::string name = code_words(place.place);
        table.rows.push_back({{percent(ratio_of(sum.cycles, accesses.all.cycles))},
                              {amount(sum.accesses)},
                              {mean_words(style, sum)},
                              {name.empty() ? "unknown code" : name, Ink::kName},
                              {place.inlined_into.empty() ? "" : " in " + program::plain_name(place.inlined_into)}});
        std::vector<std::string> notes = level_words(place.accesses.levels, sum.accesses);
        if (!place.accesses.data_pages.empty()) {
            notes.back() += ";";
            notes.push_back("pages: " + pages_words(place.accesses.data_pages));
        }
        table.notes.push_back(std::move(notes));
    }
    std::string out = "\n" + paint(style, Ink::kHeading, "Accesses by code") + "\n" + render(style, table);
    rest_of(style, table.rows.size(), accesses.all_places, out);
    return out;
}

std::string line_table(const Style& style, const Profile& profile, const MemoryAccesses& accesses,
                       std::span<const SharedLine> falsely, std::size_t top) {
    Table table{.headings = {"modified elsewhere", "loads", "stores", "mean cycles", "threads", "cache line"},
                .rows = {}};
    for (std::size_t i = 0; i < std::min(accesses.lines.size(), top); ++i) {
        const UsedLine& line = accesses.lines[i];
        std::string name = fmt::format("{:#x}", line.address);
        name += profile.processes.size() > 1 ? fmt::format(" of process {}", line.pid) : "";
        const std::string code = code_words(line.place);
        std::vector<Cell> row = {{amount(line.sum.modified_elsewhere)},
                                 {amount(line.sum.loads)},
                                 {amount(line.sum.stores)},
                                 {mean_words(style, line.sum)},
                                 {amount(line.threads)},
                                 {std::move(name), Ink::kName},
                                 {code.empty() ? "" : "  " + code, Ink::kDim}};
        if (is_shared_falsely(profile, falsely, line)) {
            row.push_back({"  shared falsely", Ink::kWarm});
        }
        table.rows.push_back(std::move(row));
    }
    std::string out = "\n" + paint(style, Ink::kHeading, "Cache lines") + "  " +
                      paint(style, Ink::kDim, "modified elsewhere: another core had it changed") + "\n" +
                      render(style, table);
    rest_of(style, table.rows.size(), accesses.all_lines, out);
    return out;
}

Json json_sum(const AccessSum& sum) {
    return {{"accesses", sum.accesses},     {"loads", sum.loads},
            {"stores", sum.stores},         {"modified_elsewhere", sum.modified_elsewhere},
            {"tlb_misses", sum.tlb_misses}, {"timed_loads", sum.timed},
            {"cycles", sum.cycles}};
}

Json json_pages(const PageSizes& pages) {
    Json json = Json::array();
    for (const auto& [bytes, sum] : pages) {
        json.push_back({{"bytes", bytes}, {"accesses", sum.accesses}, {"tlb_misses", sum.tlb_misses}});
    }
    return json;
}

Json json_levels(const std::array<AccessSum, kMemoryLevels>& levels) {
    Json json = Json::array();
    for (std::size_t i = 0; i < kMemoryLevels; ++i) {
        if (levels.at(i).accesses != 0) {
            Json level = {{"level", info_of(static_cast<MemoryLevel>(i)).key}};
            level.update(json_sum(levels.at(i)));
            json.push_back(std::move(level));
        }
    }
    return json;
}

}  // namespace

std::string terminal_accesses(const Style& style, const Profile& profile, const MemoryAccesses& accesses,
                              std::span<const SharedLine> falsely, std::size_t top) {
    if (!accesses.is_known()) {
        return {};
    }
    std::string words = fmt::format(
        "{} sampled accesses, {} with what they took: cycles are of the loads among the samples, "
        "which the event may have chosen by their latency",
        amount(accesses.all.accesses), amount(accesses.all.timed));
    words += accesses.all.tlb_misses == 0
                 ? ""
                 : fmt::format("; {} looked their page up in the page tables",
                               percent(ratio_of(accesses.all.tlb_misses, accesses.all.accesses)));
    words += accesses.data_pages.empty() ? "" : "; pages of the data: " + pages_words(accesses.data_pages);
    words += accesses.code_pages.empty() ? "" : "; of the code: " + pages_words(accesses.code_pages);
    words += accesses.without_code == 0
                 ? ""
                 : fmt::format("; {} of further code are in no row", amount(accesses.without_code));
    words += accesses.without_line == 0
                 ? ""
                 : fmt::format("; {} of further cache lines likewise", amount(accesses.without_line));
    return "\n" + paint(style, Ink::kHeading, "Memory accesses") + "\n" + wrap(style, words + ".", 2, 2) +
           level_table(style, accesses) + place_table(style, accesses, top) +
           line_table(style, profile, accesses, falsely, top);
}

Json json_accesses(const Profile& profile, const MemoryAccesses& accesses, std::span<const SharedLine> falsely) {
    Json json = json_sum(accesses.all);
    json["without_code"] = accesses.without_code;
    json["without_line"] = accesses.without_line;
    json["levels"] = json_levels(accesses.levels);
    json["data_pages"] = json_pages(accesses.data_pages);
    json["code_pages"] = json_pages(accesses.code_pages);
    json["places"] = Json::array();
    for (const AccessPlace& place : accesses.places) {
        Json each = {{"place", code_json(place.place)},
                     {"inlined_into", place.inlined_into.empty() ? Json(nullptr) : Json(place.inlined_into)}};
        each.update(json_sum(place.accesses.all()));
        each["levels"] = json_levels(place.accesses.levels);
        each["data_pages"] = json_pages(place.accesses.data_pages);
        json["places"].push_back(std::move(each));
    }
    json["all_places"] = accesses.all_places;
    json["lines"] = Json::array();
    for (const UsedLine& line : accesses.lines) {
        Json each = {{"pid", line.pid}, {"address", line.address}, {"place", code_json(line.place)}};
        each.update(json_sum(line.sum));
        each["threads"] = line.threads;
        each["shared_falsely"] = is_shared_falsely(profile, falsely, line);
        json["lines"].push_back(std::move(each));
    }
    json["all_lines"] = accesses.all_lines;
    return json;
}

}  // namespace kymo::view
