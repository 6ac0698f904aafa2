#include "spacetime/hunt_results/place_names.h"

#include <algorithm>

namespace kymo::spacetime {

void PlaceNames::ask(const program::ImageName& image, std::uint64_t offset) {
    const auto [at, fresh] = index_.emplace(std::pair(image.path, image.build_id), requests_.size());
    if (fresh) {
        requests_.push_back({image, {}});
    }
    requests_[at->second].offsets.push_back(ImageOffset{offset});
}

void PlaceNames::look_up() {
    program::sort_offsets(requests_);
    symbols_ = program::symbolize(requests_);
}

std::span<const program::Frame> PlaceNames::frames_at(const program::ImageName& image, std::uint64_t offset) const {
    const std::size_t request = index_.at({image.path, image.build_id});
    const auto& offsets = requests_[request].offsets;
    const auto at = std::lower_bound(offsets.begin(), offsets.end(), ImageOffset{offset});
    return symbols_.images[request].at(static_cast<std::size_t>(at - offsets.begin()));
}

}  // namespace kymo::spacetime
