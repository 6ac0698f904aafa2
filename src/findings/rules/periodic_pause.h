// Directions for pauses, however they were found.
#pragma once

#include <string_view>

namespace kymo::findings {

inline constexpr std::string_view kPauseDirection =
    "do less each time (only what is new since the last time), do it beside the work in a thread of its own, or more "
    "rarely";
inline constexpr std::string_view kPauseConfirm =
    "make the pause twice as rare: the time between the pauses must double and nothing else change";

}  // namespace kymo::findings
