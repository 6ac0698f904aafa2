// Code that the parent has chosen, by image and offsets (events/kept_code.h), and whether a call path passes through
// it. Of a second look, and of a virtual speed-up.
//
// Contract: as the rest of the monitor. load() at program start, before there are images; image_added() from the
// thread that found the image; passes() in handlers. Cost of passes(): some 10 ns a frame of chosen images.
#pragma once

#include "base/ids.h"
#include "events/kept_code.h"
#include "image/loaded_image.h"
#include "unwind/walk.h"

#include <atomic>
#include <cstdint>
#include <span>

namespace kymo::monitor {

class ChosenCode {
  public:
    // From the file of that name beside the session. False: there is none.
    bool load(const char* name);
    // Bit i: what is said of event i.
    std::uint32_t events() const { return code_.events; }
    void image_added(ImageId id, const image::LoadedImage& image);
    bool passes(std::span<const unwind::Frame> path) const;

  private:
    // Loadings of chosen images in this process: libraries may come and go.
    static constexpr std::uint32_t kMaxLoaded = 256;
    struct Loaded {
        std::atomic<std::uint32_t> id{0};
        std::uint32_t image = 0;  // of code_; written before `id`
    };

    bool holds(const unwind::Frame& frame) const;

    events::KeptCode code_;
    std::atomic<std::uint32_t> count_{0};
    Loaded loaded_[kMaxLoaded];
};

}  // namespace kymo::monitor
