// A hunt in a recording: the pair machine over the samples of one event, in the order of time.
//
// Unlike the engines of running programs this one uses functions, lines and basic blocks; samples have no data
// addresses, so those keys it has not. One machine a process, as in the program; what the monitor itself did
// is left out, as there. Nothing is written.
//
// A sample is an event. (Where the event was sampled by a period of N, every sample stands for N events; by a
// frequency, for as many as the kernel let pass. The shares are those of samples.)
//
// Costs: two scans of the recording; 16 bytes a sample of the event; its call paths and their symbols.
#pragma once

#include "base/result.h"
#include "pairs/design/wish.h"
#include "recording/reader.h"
#include "spacetime/hunt_results/hunt_results.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace kymo::spacetime {

struct Replay {
    std::string event;  // its name in the recording
    pairs::Wish wish;
    recording::HuntKey key = recording::HuntKey::kInstruction;
    std::uint32_t seed = 1;
    // Told now and then how many samples have been gone through; may be empty.
    std::function<void(std::uint64_t done, std::uint64_t all)> on_progress;
};

// Errors: those of make_rule(); kUsage: the recording has no samples of the event, or the key needs data addresses;
// the system cannot read a file.
Result<HuntResults> replay_hunt(std::span<const recording::File> files, const Replay& replay);

}  // namespace kymo::spacetime
