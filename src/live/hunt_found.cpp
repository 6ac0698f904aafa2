#include "live/hunt_found.h"

#include "recording/reader.h"
#include "spacetime/hunt_results/hunt_rows.h"
#include "spacetime/hunt_results/load_hunt_results.h"
#include "spacetime/hunt_results/place_names.h"
#include "view/json_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

namespace kymo::live {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kQuickImage = 32U << 20U;  // bytes; larger ones' symbols take more than a tenth of a second

struct Told {
    const spacetime::FileHunt* file = nullptr;
    const recording::HuntResult* result = nullptr;
};

// Empty if the image is too large to be read now, or has no names there.
program::SourcePlace place_of(const Told& told) {
    const program::ImageName image = told.file->name_of(told.result->image);
    std::error_code error;
    if (const std::uintmax_t size = fs::file_size(image.path, error); !error && size <= kQuickImage) {
        spacetime::PlaceNames names;
        names.ask(image, told.result->offset);
        names.look_up();
        if (const auto frames = names.frames_at(image, told.result->offset); !frames.empty()) {
            return names.symbols().place_of(frames.back());
        }
    }
    return {};
}

std::string where(const Told& told) {
    const std::string name = fs::path(told.file->name_of(told.result->image).path).filename().string();
    const program::SourcePlace place = place_of(told);
    if (place.line != 0) {
        return fmt::format("{}  {}:{}", place.function, fs::path(place.file).filename().string(), place.line);
    }
    return place.function.empty() ? fmt::format("{}+0x{:x}", name, told.result->offset)
                                  : fmt::format("{} in {}", place.function, name);
}

std::string json_line(const Told& told, std::uint64_t since, const std::string& event) {
    const recording::HuntResult& result = *told.result;
    const program::SourcePlace place = place_of(told);
    nlohmann::ordered_json line;
    line["time_s"] = static_cast<double>(since) / 1e9;
    line["event"] = event;
    line["image"] = told.file->name_of(result.image).path;
    line["offset"] = result.offset;
    line["function"] = place.function;
    line["file"] = place.file;
    line["line"] = view::known_or_null(place.line);
    line["pid"] = told.file->pid;
    line["tid"] = result.tid;
    line["test_events"] = result.events;
    line["test_matches"] = result.matches;
    line["seen"] = result.seen;
    return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

void HuntFound::look(const fs::path& recording, HuntLines wanted, const Take& take) {
    const auto opened = recording::Recording::open(recording);
    if (!opened) {
        return;
    }
    const auto rows = spacetime::load_hunt_rows(opened->files());
    if (!rows) {
        return;
    }
    std::vector<Told> results;
    for (const spacetime::FileHunt& file : rows->files) {
        for (const spacetime::HuntResultRow& result : file.results) {
            if (told_.emplace(file.pid, result.row.number, result.row.time).second) {
                results.push_back({&file, &result.row});
            }
        }
    }
    std::sort(results.begin(), results.end(),
              [](const Told& a, const Told& b) { return a.result->time < b.result->time; });
    for (const Told& told : results) {
        const recording::HuntResult& result = *told.result;
        const std::uint64_t since = result.time > rows->begin ? result.time - rows->begin : 0;
        std::string text;
        std::string json;
        if (wanted.text) {
            text = fmt::format("found after {:.1f} s: {}  ({} of {} {})", static_cast<double>(since) / 1e9,
                               where(told), result.matches, result.events, rows->facts.event);
        }
        if (wanted.json) {
            json = json_line(told, since, rows->facts.event);
        }
        take(text, json);
    }
}

}  // namespace kymo::live
