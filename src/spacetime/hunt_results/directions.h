// What to do about an event's heavy hitters.
#pragma once

#include "spacetime/hunt_results/hunt_results.h"

#include <string>

namespace kymo::spacetime {

// What to do about sources of this event, in a sentence or two; empty where there is no advice to give.
std::string direction_for(const std::string& event, const HeavyHitter& hitter);

}  // namespace kymo::spacetime
