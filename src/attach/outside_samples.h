// A program that `kymo record` starts, measured from outside: for those that no monitor can be loaded into.
#pragma once

#include "attach/live_builder.h"
#include "attach/live_samples.h"
#include "import/recording_builder.h"
#include "launch/run/participant.h"

#include <optional>

namespace kymo::attach {

class OutsideSamples final : public launch::RunParticipant {
  public:
    explicit OutsideSamples(const SampleSettings& settings) : settings_(settings) {}

    // The run begins with this as its only source of samples.
    void fit(launch::RecordOptions& options);

    Result<void> started(launch::RunScene& scene) override;
    std::uint64_t tick(launch::RunScene& scene, std::uint64_t now) override;
    void ended(launch::RunScene& scene, launch::RecordOutcome& outcome) override;

  private:
    SampleSettings settings_;
    LiveSamples samples_;
    std::optional<LiveFiles> files_;
    LiveNames names_;
    import::BuilderOptions builder_options_;
    std::optional<import::RecordingBuilder> builder_;
};

}  // namespace kymo::attach
