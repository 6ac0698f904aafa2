// The output of `kymo hunt` while the program runs, on a terminal and to another program: each result as it comes.
//
// Twice a second (ten times if there is a listener) it reads the hunt's rows of the growing recording (a hunt
// keeps hardly any samples, so these are few) and prints the new ones, a line each. The place is looked up if the
// image is small enough for that to take no noticeable time; otherwise the line has image and offset, and the
// report at the end has the place.
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
    // Reports the new results; none if the recording cannot be read just now.
    void look(const std::filesystem::path& recording, bool prints);
    bool prints_;
    HuntListener* listener_;
    launch::Interval looks_;
    // By process, number and time: a process that becomes another program begins its numbers again.
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> told_;
};

}  // namespace kymo::cli
