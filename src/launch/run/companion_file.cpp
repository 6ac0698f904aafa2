#include "launch/run/companion_file.h"

#include "launch/private_file.h"

namespace kymo::launch {

void CompanionFile::fit(RecordOptions& options) {
    options.participants.push_back(this);
    options.is_about_every_process = true;
}

Result<void> CompanionFile::started(RunScene& scene) {
    scene.temporary.push_back(name_);
    const std::optional<Job>& job = scene.settled.job;
    auto written =
        job ? write_shared(scene.folder, name_, text_, job->rank) : write_private(scene.folder, name_, text_);
    if (written) {
        scene.log.write_others([this](recording::StreamWriter& rows) { write_rows(rows); });
    }
    return written;
}

}  // namespace kymo::launch
