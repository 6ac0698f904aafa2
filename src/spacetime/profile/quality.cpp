#include "spacetime/profile/quality.h"

#include <algorithm>
#include <array>

namespace kymo::spacetime {
namespace {

struct PathEndText {
    std::string_view words;
    std::string_view key;
};

constexpr std::array<PathEndText, recording::kPathEnds> kPathEndTexts = {{
    {"complete", "complete"},
    {"not walked (merged signal)", "not_walked"},
    {"no unwind rule", "no_rule"},
    {"unusable unwind rule", "bad_rule"},
    {"next frame outside the stack", "outside_stack"},
    {"stack pointer did not move", "no_progress"},
    {"too deep", "too_deep"},
    {"return address is not in code", "unmapped"},
    {"no room for outer frames", "no_room"},
}};

}  // namespace

std::optional<SamplingRate> sampling_rate(const Profile& profile) {
    const auto event = std::find_if(profile.events.begin(), profile.events.end(), [](const EventInfo& info) {
        return info.name == "task-clock" && info.mode != recording::EventMode::kCount && info.value != 0;
    });
    if (event == profile.events.end()) {
        return std::nullopt;
    }
    SamplingRate rate;
    const auto value = static_cast<double>(event->value);
    rate.asked_hz = event->mode == recording::EventMode::kFrequency ? value : 1e9 / value;
    std::int64_t by_samples = 0;
    for (const ProfileThread& thread : profile.threads) {
        by_samples += thread.is_sampled ? thread.costs[kUser] : 0;
    }
    const double user_ns =
        std::max(static_cast<double>(by_samples), static_cast<double>(profile.quality.kernel_user_ns));
    rate.delivered_hz = user_ns <= 0 ? 0 : static_cast<double>(profile.quality.ticks) * 1e9 / user_ns;
    return rate;
}

std::string_view path_end_words(recording::PathEnd end) {
    return kPathEndTexts.at(static_cast<std::size_t>(end)).words;
}

std::string_view path_end_key(recording::PathEnd end) {
    return kPathEndTexts.at(static_cast<std::size_t>(end)).key;
}

std::uint64_t complete_paths(const Quality& quality) {
    return quality.paths[static_cast<std::size_t>(recording::PathEnd::kComplete)];
}

std::uint64_t partial_paths(const Quality& quality) {
    return quality.samples - complete_paths(quality);
}

}  // namespace kymo::spacetime
