#include "monitor/sampling/second_look.h"

#include "image/arena.h"
#include "monitor/process/folder_file.h"
#include "monitor/threads/thread_state.h"

namespace kymo::monitor {

constinit SecondLook second_look;

bool SecondLook::begin() {
    auto* const text = static_cast<char*>(image::map_pages(events::kMaxKeptFile));
    std::size_t size = 0;
    if (text == nullptr) {
        return true;
    }
    on_ = read_from_folder(process.session().directory, events::kKeptFile, text, events::kMaxKeptFile, &size) &&
          events::parse_kept_code({text, size}, code_);
    image::unmap_pages(text, events::kMaxKeptFile);
    return true;
}

void SecondLook::thread_begin(ThreadState& thread) {
    thread.left_out = {};
    thread.left_out_samples = 0;
}

void SecondLook::image_added(ImageId id, const image::LoadedImage& image) {
    const int known = on_ ? code_.image_of(image.build_id) : -1;
    if (known < 0) {
        return;
    }
    const std::uint32_t place = count_.fetch_add(1, std::memory_order_relaxed);
    if (place < kMaxLoaded) {
        loaded_[place].image = static_cast<std::uint32_t>(known);
        loaded_[place].id.store(raw(id), std::memory_order_release);
    }
}

bool SecondLook::holds(const unwind::Frame& frame) const {
    const std::uint32_t count = count_.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < count && i < kMaxLoaded; ++i) {
        if (loaded_[i].id.load(std::memory_order_acquire) == raw(frame.image)) {
            return code_.holds(loaded_[i].image, frame.offset);
        }
    }
    return count > kMaxLoaded;  // loadings beyond the table are unknown: kept
}

bool SecondLook::passes(std::span<const unwind::Frame> path) const {
    for (const unwind::Frame& frame : path) {
        if (raw(frame.image) != 0 && holds(frame)) {
            return true;
        }
    }
    return false;
}

}  // namespace kymo::monitor
