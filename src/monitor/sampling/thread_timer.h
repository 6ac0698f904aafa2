// A timer of a thread's processor time that signals the thread; the kernel checks it at its tick.
#pragma once

#include "events/session.h"

#include <cstdint>

namespace kymo::monitor {

struct ThreadState;

class ThreadTimer {
  public:
    // In the thread, of that id. False, with errno: no timer is available. It is created stopped.
    bool make(const events::Session& session, int tid, ThreadState* owner);
    bool is_made() const { return timer_ >= 0; }
    // Fires after each `period` ns, and first at the kernel's next tick in the thread, whenever that comes.
    void set_from_next_tick(std::uint64_t period) const { set(period, 1); }
    void stop() const { set(0, 0); }
    void close();
    // In a forked child, which does not inherit its parent's timer.
    void abandon() { timer_ = -1; }

  private:
    void set(std::uint64_t period, std::uint64_t first) const;

    int timer_ = -1;
};

}  // namespace kymo::monitor
