// A first look at a large recording: call paths and states over time from an excerpt of its samples, before the
// analysis of all of them, which takes minutes.
//
//     if (const std::uint32_t samples = samples_for_first_look(*recording)) {
//         recording->set_excerpt(samples);
//         const auto look = first_look(*recording, options);
#pragma once

#include "analysis/analysis.h"

namespace kymo::analysis {

// How many samples of each chunk make some million together (recording::File::set_excerpt()); 0: the recording has
// not many more, and no first look is worth its time.
std::uint32_t samples_for_first_look(const recording::Recording& recording);

// The profile and the names alone: no evidence, no judgement, no metrics. Errors: as load_profile(). Cost: a walk
// through the bytes of the recording, 15 ns a sample, and the analysis of the excerpt.
Result<Analysis> first_look(const recording::Recording& recording, const SpaceTimeOptions& options = {});

}  // namespace kymo::analysis
