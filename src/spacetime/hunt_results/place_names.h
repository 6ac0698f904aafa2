// Functions and lines for the places that a hunt speaks of: asked for one by one, looked up together.
#pragma once

#include "program/symbolize.h"
#include "spacetime/hunt_results/hunt_results.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kymo::spacetime {

class PlaceNames {
  public:
    void ask(const program::ImageName& image, std::uint64_t offset);
    void look_up();

    // Of what was asked for, after look_up(). Outermost first; at least one.
    std::span<const program::Frame> frames_at(const program::ImageName& image, std::uint64_t offset) const;
    const program::Symbols& symbols() const { return symbols_; }

  private:
    std::map<std::pair<std::string, std::string>, std::size_t> index_;  // path and build id → request
    std::vector<program::Request> requests_;
    program::Symbols symbols_;
};

}  // namespace kymo::spacetime
