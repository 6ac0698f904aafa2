// The output of `kymo hunt` while the program runs, on a terminal and to another program: each result as it comes.
//
// Twice a second (ten times if there is a listener) it looks into the growing recording and prints the new results, a
// line each (live/hunt_found.h). The report at the end has every place.
#pragma once

#include "hunt/listener.h"
#include "launch/run/participant.h"
#include "live/hunt_found.h"

#include <cstdint>
#include <filesystem>

namespace kymo::cli {

class HuntProgress final : public launch::RunParticipant {
  public:
    // `listener`: null: none.
    HuntProgress(bool prints, hunt::Listener* listener)
        : prints_(prints), listener_(listener), looks_(listener != nullptr ? 100'000'000 : 500'000'000) {}

    Result<void> started(launch::RunScene& scene) override;
    std::uint64_t tick(launch::RunScene& scene, std::uint64_t now) override;
    void ended(launch::RunScene& scene, launch::RecordOutcome& outcome) override;

  private:
    // Reports the new results; none if the recording cannot be read just now.
    void look(const std::filesystem::path& recording, bool prints);
    bool prints_;
    hunt::Listener* listener_;
    launch::Interval looks_;
    live::HuntFound found_;
};

}  // namespace kymo::cli
