#include "analysis/images.h"

#include "archive/pack.h"
#include "program/image_search.h"
#include "recording/format.h"
#include "recording/tables.h"

#include <filesystem>
#include <map>
#include <utility>

namespace kymo::analysis {

Result<recording::Recording> open_with_images(const std::string& folder) {
    std::filesystem::path place = folder;
    if (archive::is_packed(folder)) {
        const auto unpacked = archive::unpack(folder);
        if (!unpacked) {
            return unpacked.error();
        }
        place = *unpacked;
    }
    auto recording = recording::Recording::open(place);
    std::error_code ignored;
    const auto images = place / recording::kImagesFolder;
    if (recording && std::filesystem::is_directory(images, ignored)) {
        program::add_image_directory(images.string());
    }
    return recording;
}

Result<std::vector<program::ImageName>> recorded_images(const recording::Recording& recording) {
    std::map<std::pair<std::string, std::string>, program::ImageName> images;
    for (const recording::File& file : recording.files()) {
        const auto report = file.scan(recording::on<recording::Image>([&](StreamId, const recording::Image& row) {
            images[{std::string(row.path), std::string(row.build_id)}] = {
                std::string(row.path), std::string(row.build_id), file.header().machine, row.content};
        }));
        if (!report) {
            return report.error();
        }
    }
    std::vector<program::ImageName> names;
    names.reserve(images.size());
    for (auto& [key, image] : images) {
        names.push_back(std::move(image));
    }
    return names;
}

}  // namespace kymo::analysis
