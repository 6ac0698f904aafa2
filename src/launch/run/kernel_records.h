// The kernel's records of the program's process tree, from the parent's rings to the recording; and the processes
// of it that run as another user.
//
// If the threads take the records, or nothing can, there are no rings, and the plan lists what is not measured
// before the session is written.
#pragma once

#include "launch/image_copies.h"
#include "launch/kernel_rings.h"
#include "launch/other_users.h"
#include "launch/run/participant.h"

#include <optional>

namespace kymo::launch {

class KernelRecords final : public RunParticipant {
  public:
    Result<void> started(RunScene& scene) override;
    std::uint64_t tick(RunScene& scene, std::uint64_t now) override;
    void ended(RunScene& scene, RecordOutcome& outcome) override;

  private:
    void settle(Settled& settled, pid_t program);

    KernelRings rings_;
    std::optional<OtherUsers> others_;
    std::optional<ImageCopies> copies_;
};

}  // namespace kymo::launch
