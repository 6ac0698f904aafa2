// A second look (`kymo record --for`): further events are kept only in code that an earlier recording kept.
//
// A sample of a requested event whose call path passes through none of the kept code is
// left out: no row is written, and what the counters counted goes into the thread's next row. So outside of the
// kept code, a sampled event is as good as a counted one, and every sum over the run stays exact. Before a row
// inside it, and between the program's work and the monitor's, the last one left out is written after all: counts
// from outside are never charged to code inside, nor the program's to the monitor.
//
// The file `kept` beside the session lists the code (events/kept_code.h); without one nothing is left out.
// Contract: as the rest of the monitor. begin() at program start, before there are images; image_added() from the
// thread that found the image; the others in handlers. Cost of passes(): some 10 ns a frame of kept images.
#pragma once

#include "base/ids.h"
#include "events/kept_code.h"
#include "image/loaded_image.h"
#include "monitor/part.h"
#include "unwind/walk.h"

#include <atomic>
#include <cstdint>
#include <span>

namespace kymo::monitor {

class SecondLook : public Part {
  public:
    bool begin();
    static void thread_begin(ThreadState& thread);
    bool on() const { return on_; }
    // Whether this event was requested. Others are kept everywhere.
    bool is_for(std::uint32_t event) const { return event < 32 && (code_.events >> event & 1U) != 0; }
    void image_added(ImageId id, const image::LoadedImage& image);
    // Whether a call path passes through kept code.
    bool passes(std::span<const unwind::Frame> path) const;

  private:
    // Loadings of kept images in this process: libraries may come and go.
    static constexpr std::uint32_t kMaxLoaded = 256;
    struct Loaded {
        std::atomic<std::uint32_t> id{0};
        std::uint32_t image = 0;  // of code_; written before `id`
    };

    bool holds(const unwind::Frame& frame) const;

    bool on_ = false;
    events::KeptCode code_;
    std::atomic<std::uint32_t> count_{0};
    Loaded loaded_[kMaxLoaded];
};

extern SecondLook second_look;

}  // namespace kymo::monitor
