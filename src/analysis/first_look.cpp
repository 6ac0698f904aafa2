#include "analysis/first_look.h"

#include "recording/format.h"
#include "spacetime/profile/thread_names.h"

#include <algorithm>

namespace kymo::analysis {
namespace {

constexpr std::uint64_t kSamples = 1'000'000;  // of the excerpt, or some more: a quarter of a second
constexpr std::uint64_t kFewest = 16;          // of a chunk
constexpr std::uint64_t kMost = 1500;          // of a chunk: about half of those that it has

}  // namespace

std::uint32_t samples_for_first_look(const recording::Recording& recording) {
    std::uint64_t bytes = 0;
    for (const recording::File& file : recording.files()) {
        bytes += file.header().used_bytes;
    }
    const std::uint64_t samples = kSamples / std::max<std::uint64_t>(bytes / recording::kChunkBytes, 1);
    return samples > kMost ? 0 : static_cast<std::uint32_t>(std::max(samples, kFewest));
}

Result<Analysis> first_look(const recording::Recording& recording, const SpaceTimeOptions& options) {
    auto profile = load_profile(recording, options);
    if (!profile) {
        return profile.error();
    }
    Analysis look;
    look.recording = &recording;
    look.profile = std::move(*profile);
    if (options.spaces.on_stage) {
        options.spaces.on_stage("names");
    }
    look.named = spacetime::name_run(look.profile, options.spaces.space_share);
    spacetime::name_threads(look.named.tree, &look.profile);
    return look;
}

}  // namespace kymo::analysis
