#include "attach/outside_samples.h"

#include "attach/attach.h"
#include "base/time.h"

namespace kymo::attach {

void OutsideSamples::fit(launch::RecordOptions& options) {
    options.from_outside = true;
    options.has_kernel_records = true;
    options.events.clear();  // those are its own
    options.participants.push_back(this);
}

Result<void> OutsideSamples::started(launch::RunScene& scene) {
    Scope scope;
    scope.threads = {scene.program};
    settings_.on_exec = true;  // what goes before is ours
    if (auto opened = samples_.open(scope, settings_); !opened) {
        return opened;
    }
    files_.emplace(scene.folder);
    builder_options_ = live_builder_options(true, *files_, names_);
    builder_.emplace(scene.folder, builder_options_, scene.log);
    if (auto begun = begin_live(*builder_, builder_options_, samples_.rings(), scene.begun); !begun) {
        return begun;
    }
    samples_.deliver_to(*builder_);
    samples_.rings().append_poll(scene.wakers);
    return {};
}

std::uint64_t OutsideSamples::tick(launch::RunScene& /*scene*/, std::uint64_t now) {
    samples_.drain(false);
    return now + kDrainEvery;
}

void OutsideSamples::ended(launch::RunScene& scene, launch::RecordOutcome& outcome) {
    SampleRings& rings = samples_.rings();
    rings.enable(false);
    samples_.drain(true);
    rings.close();
    builder_->write_all_known();
    if (const auto finished = builder_->finish(monotonic_now().ns); !finished) {
        outcome.warnings.push_back(finished.error().what);
    }
    std::vector<events::Missing> missing = missing_from_outside(rings.has_wakes());
    missing.insert(missing.end(), rings.missing().begin(), rings.missing().end());
    if (auto names = import::missing_generated_names(builder_->counts())) {
        missing.push_back(*std::move(names));
    }
    for (const events::Missing& each : missing) {
        scene.log.write_missing(each);
    }
    outcome.missing = std::move(missing);
}

}  // namespace kymo::attach
