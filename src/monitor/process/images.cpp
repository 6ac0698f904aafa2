#include "monitor/process/images.h"

namespace kymo::monitor {

constinit unwind::ImageSet images;

constinit std::atomic<ImageId> known_own_image{ImageId{0}};

void know_own_image() {
    if (raw(own_image()) == 0) {
        known_own_image = images.add_at(reinterpret_cast<std::uint64_t>(&know_own_image));
    }
}

}  // namespace kymo::monitor
