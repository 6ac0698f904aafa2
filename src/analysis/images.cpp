#include "analysis/images.h"

#include "program/image_search.h"
#include "recording/format.h"

#include <filesystem>

namespace kymo::analysis {

Result<recording::Recording> open_with_images(const std::string& folder) {
    auto recording = recording::Recording::open(folder);
    std::error_code ignored;
    const auto images = std::filesystem::path(folder) / recording::kImagesFolder;
    if (recording && std::filesystem::is_directory(images, ignored)) {
        program::add_image_directory(images.string());
    }
    return recording;
}

}  // namespace kymo::analysis
