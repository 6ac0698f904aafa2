#include "cli/hunt_progress.h"

#include "recording/reader.h"
#include "spacetime/finds/hunt_rows.h"
#include "spacetime/finds/place_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace kymo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kQuickImage = 32U << 20U;  // bytes; larger ones' symbols take more than a tenth of a second

struct Told {
    const spacetime::FileHunt* file = nullptr;
    const recording::Find* find = nullptr;
};

std::string where(const Told& told) {
    const program::ImageName image = told.file->name_of(told.find->image);
    const std::string name = fs::path(image.path).filename().string();
    std::error_code error;
    if (const std::uintmax_t size = fs::file_size(image.path, error); !error && size <= kQuickImage) {
        spacetime::PlaceNames names;
        names.ask(image, told.find->offset);
        names.look_up();
        if (const auto frames = names.frames_at(image, told.find->offset); !frames.empty()) {
            const spacetime::SourcePlace place = names.place_of(frames.back());
            if (place.line != 0) {
                return fmt::format("{}  {}:{}", place.function, fs::path(place.file).filename().string(), place.line);
            }
            if (!place.function.empty()) {
                return fmt::format("{} in {}", place.function, name);
            }
        }
    }
    return fmt::format("{}+0x{:x}", name, told.find->offset);
}

}  // namespace

std::string HuntProgress::look(const fs::path& recording) {
    const auto opened = recording::Recording::open(recording);
    if (!opened) {
        return {};
    }
    const auto rows = spacetime::read_hunt_rows(opened->files());
    if (!rows) {
        return {};
    }
    std::vector<Told> finds;
    for (const spacetime::FileHunt& file : rows->files) {
        for (const spacetime::FindRow& find : file.finds) {
            finds.push_back({&file, &find.row});
        }
    }
    std::sort(finds.begin(), finds.end(), [](const Told& a, const Told& b) { return a.find->time < b.find->time; });
    std::string lines;
    for (std::size_t i = std::min(told_, finds.size()); i < finds.size(); ++i) {
        const recording::Find& find = *finds[i].find;
        const std::uint64_t since = find.time > rows->begin ? find.time - rows->begin : 0;
        lines += fmt::format("kymo: found after {:.1f} s: {}  ({} of {} {})\n", static_cast<double>(since) / 1e9,
                             where(finds[i]), find.matches, find.events, rows->facts.event);
    }
    told_ = finds.size();
    return lines;
}

}  // namespace kymo::cli
