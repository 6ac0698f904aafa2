// The images of this process, as far as a sample has met them (unwind/image_set.h), and which of them is the monitor.
#pragma once

#include "base/ids.h"
#include "unwind/image_set.h"

#include <atomic>

namespace kymo::monitor {

extern unwind::ImageSet images;

extern std::atomic<ImageId> known_own_image;
// The monitor's own; 0: not looked up so far. One load, because it is called for every frame of every path.
inline ImageId own_image() {
    return known_own_image.load(std::memory_order_relaxed);
}
// Looks at it. In any thread, from handlers too.
void know_own_image();

}  // namespace kymo::monitor
