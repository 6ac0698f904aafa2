#include "cli/hunt_progress.h"

#include "base/clean_text.h"
#include "base/time.h"
#include "recording/reader.h"
#include "spacetime/hunt_results/hunt_rows.h"
#include "spacetime/hunt_results/place_names.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <vector>

namespace kymo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kQuickImage = 32U << 20U;  // bytes; larger ones' symbols take more than a tenth of a second

struct Told {
    const spacetime::FileHunt* file = nullptr;
    const recording::HuntResult* result = nullptr;
};

std::string where(const Told& told) {
    const program::ImageName image = told.file->name_of(told.result->image);
    const std::string name = fs::path(image.path).filename().string();
    std::error_code error;
    if (const std::uintmax_t size = fs::file_size(image.path, error); !error && size <= kQuickImage) {
        spacetime::PlaceNames names;
        names.ask(image, told.result->offset);
        names.look_up();
        if (const auto frames = names.frames_at(image, told.result->offset); !frames.empty()) {
            const spacetime::SourcePlace place = names.place_of(frames.back());
            if (place.line != 0) {
                return fmt::format("{}  {}:{}", place.function, fs::path(place.file).filename().string(), place.line);
            }
            if (!place.function.empty()) {
                return fmt::format("{} in {}", place.function, name);
            }
        }
    }
    return fmt::format("{}+0x{:x}", name, told.result->offset);
}

}  // namespace

Result<void> HuntProgress::started(launch::RunScene& scene) {
    looks_.begin(scene.begun);
    return {};
}

std::uint64_t HuntProgress::tick(launch::RunScene& scene, std::uint64_t now) {
    if (looks_.is_due(now) && !scene.is_gone) {
        fmt::print(stderr, "{}", clean_screen(look(scene.folder.reach(""))));
        looks_.begin(monotonic_now().ns);  // from its end on: it may take long
    }
    return looks_.next();
}

std::string HuntProgress::look(const fs::path& recording) {
    const auto opened = recording::Recording::open(recording);
    if (!opened) {
        return {};
    }
    const auto rows = spacetime::read_hunt_rows(opened->files());
    if (!rows) {
        return {};
    }
    std::vector<Told> results;
    for (const spacetime::FileHunt& file : rows->files) {
        for (const spacetime::HuntResultRow& result : file.results) {
            results.push_back({&file, &result.row});
        }
    }
    std::sort(results.begin(), results.end(),
              [](const Told& a, const Told& b) { return a.result->time < b.result->time; });
    std::string lines;
    for (std::size_t i = std::min(told_, results.size()); i < results.size(); ++i) {
        const recording::HuntResult& result = *results[i].result;
        const std::uint64_t since = result.time > rows->begin ? result.time - rows->begin : 0;
        lines += fmt::format("kymo: found after {:.1f} s: {}  ({} of {} {})\n", static_cast<double>(since) / 1e9,
                             where(results[i]), result.matches, result.events, rows->facts.event);
    }
    told_ = results.size();
    return lines;
}

}  // namespace kymo::cli
