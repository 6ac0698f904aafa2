#include "launch/run/log_rows.h"

namespace kymo::launch {

Result<void> LogRows::started(RunScene& scene) {
    for (const events::Missing& missing : scene.settled.plan.missing) {
        scene.log.write_missing(missing);
    }
    for (const events::Missing& missing : scene.settled.options.missing) {
        scene.log.write_missing(missing);
    }
    scene.log.write_clock_pair();
    clock_pairs_.begin(scene.begun);
    return {};
}

std::uint64_t LogRows::tick(RunScene& scene, std::uint64_t now) {
    if (clock_pairs_.is_due(now)) {
        scene.log.write_clock_pair();
        clock_pairs_.begin(now);
    }
    return clock_pairs_.next();
}

void LogRows::ended(RunScene& scene, RecordOutcome& /*outcome*/) {
    scene.log.write_clock_pair();
}

}  // namespace kymo::launch
