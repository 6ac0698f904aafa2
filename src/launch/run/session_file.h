// The monitor's input: the file `session` (events/session.h) in the recording's folder, while the program runs.
#pragma once

#include "launch/run/participant.h"

namespace kymo::launch {

class SessionFile final : public RunParticipant {
  public:
    Result<void> started(RunScene& scene) override;
};

}  // namespace kymo::launch
