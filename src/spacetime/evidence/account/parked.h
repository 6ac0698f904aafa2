// Threads without work to do: of an idle team or pool, of a server without requests. Their waits end when there is
// work for them, so none of these waits holds the run up.
#pragma once

#include "spacetime/load/thread_states.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

class ParkedThreads {
  public:
    // Cost: one pass over the threads' states.
    explicit ParkedThreads(const Profile& profile);

    // `kind`: of the interval's wait; none: 0. Such intervals are left out of the schedule's waits, and so must be
    // left out where these are shared: both ask here.
    bool is_parked(std::uint32_t thread, ThreadState state, recording::WaitKind kind) const;

  private:
    enum class Parked : std::uint8_t {
        kNever,
        kForRequests,  // in calls that read and poll
        kForAny,       // for other threads, too
    };
    static bool may_be_parked(Parked parked, recording::WaitKind kind);

    std::vector<Parked> parked_;  // by thread
};

}  // namespace kymo::spacetime
