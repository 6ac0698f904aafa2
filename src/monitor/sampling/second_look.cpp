#include "monitor/sampling/second_look.h"

#include "monitor/threads/thread_state.h"

namespace kymo::monitor {

constinit SecondLook second_look;

bool SecondLook::begin() {
    on_ = code_.load(events::kKeptFile);
    return true;
}

void SecondLook::thread_begin(ThreadState& thread) {
    thread.left_out = {};
    thread.left_out_samples = 0;
}

void SecondLook::image_added(ImageId id, const image::LoadedImage& image) {
    if (on_) {
        code_.image_added(id, image);
    }
}

}  // namespace kymo::monitor
