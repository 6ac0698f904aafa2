// A second look (`kymo record --for`): further events are kept only in code that an earlier recording kept.
//
// A sample of a requested event whose call path passes through none of the kept code is
// left out: no row is written, and what the counters counted goes into the thread's next row. So outside of the
// kept code, a sampled event is as good as a counted one, and every sum over the run stays exact. Before a row
// inside it, and between the program's work and the monitor's, the last one left out is written after all: counts
// from outside are never charged to code inside, nor the program's to the monitor.
//
// The file `kept` beside the session lists the code (events/kept_code.h); without one nothing is left out.
// Contract: as the rest of the monitor, and that of ChosenCode.
#pragma once

#include "monitor/part.h"
#include "monitor/sampling/chosen_code.h"

#include <cstdint>
#include <span>

namespace kymo::monitor {

class SecondLook : public Part {
  public:
    bool begin();
    static void thread_begin(ThreadState& thread);
    bool on() const { return on_; }
    // Whether this event was requested. Others are kept everywhere.
    bool is_for(std::uint32_t event) const { return event < 32 && (code_.events() >> event & 1U) != 0; }
    void image_added(ImageId id, const image::LoadedImage& image);
    // Whether a call path passes through kept code.
    bool passes(std::span<const unwind::Frame> path) const { return code_.passes(path); }

  private:
    bool on_ = false;
    ChosenCode code_;
};

extern SecondLook second_look;

}  // namespace kymo::monitor
