// How well the run was measured: rates requested and delivered, call paths complete and partial.
#pragma once

#include "spacetime/profile/profile.h"

#include <optional>
#include <string>
#include <string_view>

namespace kymo::spacetime {

// Samples a second of the task-clock event. Both are seconds of time in the program: its ticks in the kernel
// deliver no sample by design. Delivered is samples over the user time that the kernel itself accounts for, or
// that the samples account for, whichever is longer; so throttling and lost samples show.
struct SamplingRate {
    double asked_hz = 0;
    double delivered_hz = 0;
};
std::optional<SamplingRate> sampling_rate(const Profile& profile);

// "no rule", "outside the stack": the ways a call path ends, in few words; and as a key for JSON.
std::string_view path_end_words(recording::PathEnd end);
std::string_view path_end_key(recording::PathEnd end);

std::uint64_t complete_paths(const Quality& quality);
std::uint64_t partial_paths(const Quality& quality);

}  // namespace kymo::spacetime
