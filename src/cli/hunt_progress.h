// What `kymo hunt` tells on a terminal while the program runs: each result as it comes.
//
// Twice a second it reads the hunt's rows of the growing recording (a hunt keeps hardly any samples, so that is
// little) and prints those that are new, a line each. The place is looked up where the image is small enough for that
// to take no time worth speaking of; otherwise image and offset say it, and the report at the end says the rest.
#pragma once

#include "launch/run/participant.h"

#include <cstddef>
#include <filesystem>
#include <string>

namespace kymo::cli {

class HuntProgress final : public launch::RunParticipant {
  public:
    Result<void> started(launch::RunScene& scene) override;
    std::uint64_t tick(launch::RunScene& scene, std::uint64_t now) override;

  private:
    // Lines for the results not told yet, each with its end of line; empty where there is none, or where the
    // recording cannot be read just now.
    std::string look(const std::filesystem::path& recording);
    launch::Interval looks_{500'000'000};
    std::size_t told_ = 0;
};

}  // namespace kymo::cli
