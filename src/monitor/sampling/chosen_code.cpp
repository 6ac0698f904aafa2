#include "monitor/sampling/chosen_code.h"

#include "image/arena.h"
#include "monitor/process/folder_file.h"
#include "monitor/process/process.h"

namespace kymo::monitor {

bool ChosenCode::load(const char* name) {
    auto* const text = static_cast<char*>(image::map_pages(events::kMaxKeptFile));
    std::size_t size = 0;
    if (text == nullptr) {
        return false;
    }
    const bool is_there = read_from_folder(process.session().directory, name, text, events::kMaxKeptFile, &size) &&
                          events::parse_kept_code({text, size}, code_);
    image::unmap_pages(text, events::kMaxKeptFile);
    return is_there;
}

void ChosenCode::image_added(ImageId id, const image::LoadedImage& image) {
    const int known = code_.image_of(image.build_id);
    if (known < 0) {
        return;
    }
    const std::uint32_t place = count_.fetch_add(1, std::memory_order_relaxed);
    if (place < kMaxLoaded) {
        loaded_[place].image = static_cast<std::uint32_t>(known);
        loaded_[place].id.store(raw(id), std::memory_order_release);
    }
}

bool ChosenCode::holds(const unwind::Frame& frame) const {
    const std::uint32_t count = count_.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < count && i < kMaxLoaded; ++i) {
        if (loaded_[i].id.load(std::memory_order_acquire) == raw(frame.image)) {
            return code_.holds(loaded_[i].image, frame.offset);
        }
    }
    return count > kMaxLoaded;  // loadings beyond the table are unknown: taken for chosen
}

bool ChosenCode::passes(std::span<const unwind::Frame> path) const {
    for (const unwind::Frame& frame : path) {
        if (raw(frame.image) != 0 && holds(frame)) {
            return true;
        }
    }
    return false;
}

}  // namespace kymo::monitor
