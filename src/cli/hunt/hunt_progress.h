// What `kymo hunt` tells while the program runs, on a terminal and to another program: each result as it comes.
//
// Twice a second (ten times where another program is told) it reads the hunt's rows of the growing recording (a hunt
// keeps hardly any samples, so that is little) and prints those that are new, a line each. The place is looked up
// where the image is small enough for that to take no time worth speaking of; otherwise image and offset say it, and
// the report at the end says the rest.
#pragma once

#include "cli/hunt/hunt_listener.h"
#include "launch/run/participant.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <tuple>

namespace kymo::cli {

class HuntProgress final : public launch::RunParticipant {
  public:
    // `listener`: null: none.
    HuntProgress(bool prints, HuntListener* listener)
        : prints_(prints), listener_(listener), looks_(listener != nullptr ? 100'000'000 : 500'000'000) {}

    Result<void> started(launch::RunScene& scene) override;
    std::uint64_t tick(launch::RunScene& scene, std::uint64_t now) override;
    void ended(launch::RunScene& scene, launch::RecordOutcome& outcome) override;

  private:
    // Tells the results not told yet; none where the recording cannot be read just now.
    void look(const std::filesystem::path& recording, bool prints);
    bool prints_;
    HuntListener* listener_;
    launch::Interval looks_;
    // By process, number and time: a process that becomes another program numbers anew.
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> told_;
};

}  // namespace kymo::cli
