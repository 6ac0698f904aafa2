// The recording that samples of running programs become.
#pragma once

#include "attach/live_files.h"
#include "attach/live_names.h"
#include "attach/sample_rings.h"
#include "import/recording_builder.h"
#include "recording/folder.h"

#include <cstdint>

namespace kymo::attach {

// Options of a builder for programs of this machine that run. `files` and `names` outlive it.
import::BuilderOptions live_builder_options(bool every_process, LiveFiles& files, LiveNames& names);

// Begins it with the events of these rings, which are open. `options`: the builder's.
Result<void> begin_live(import::RecordingBuilder& builder, import::BuilderOptions& options, const SampleRings& rings,
                        std::uint64_t time);

// How often rings are emptied, ns: a thread of 4000 samples a second fills a ring of 8 MiB in a quarter of a second.
inline constexpr std::uint64_t kDrainEvery = 100'000'000;

}  // namespace kymo::attach
