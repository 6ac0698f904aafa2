// Rows of launch.krec that the run's own steps write: what could not be measured, and pairs of the clocks.
#pragma once

#include "launch/run/participant.h"

namespace kymo::launch {

class LogRows final : public RunParticipant {
  public:
    Result<void> started(RunScene& scene) override;
    std::uint64_t tick(RunScene& scene, std::uint64_t now) override;
    void ended(RunScene& scene, RecordOutcome& outcome) override;

  private:
    Interval clock_pairs_{10'000'000'000};
};

}  // namespace kymo::launch
