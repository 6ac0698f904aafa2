#include "cli/ring/hosts_record.h"

#include "base/time.h"
#include "cli/verbs.h"
#include "launch/output.h"
#include "launch/run_log.h"
#include "view/text.h"

#include <cstdio>
#include <fmt/format.h>
#include <utility>

namespace kymo::cli {

HostsRecord::~HostsRecord() {
    if (recording_ && recording_->hosts() == 0) {
        std::error_code ignored;
        std::filesystem::remove(made_, ignored);
    }
}

Result<void> HostsRecord::begin(const std::string& path, const std::string& command,
                                std::vector<ring::AskedMetric> asked,
                                std::function<std::string(ring::Slot)> name_of) {
    const auto wanted = path.empty() ? std::nullopt : std::optional<std::filesystem::path>(path);
    const auto folder = launch::make_recording_folder(wanted, "ring");
    if (!folder) {
        return folder.error();
    }
    ring::RecordingSettings settings;
    settings.folder = made_ = *folder;
    std::error_code ignored;
    settings.facts = {"all hosts", command, std::filesystem::current_path(ignored), std::string(launch::kProducer)};
    settings.asked = std::move(asked);
    settings.name_of = std::move(name_of);
    folder_ = path.empty() ? folder->filename().string() : path;
    recording_.emplace(std::move(settings));
    return {};
}

void HostsRecord::know(const std::vector<ring::AskedMetric>& asked) {
    if (recording_) {
        recording_->know(asked);
    }
}

void HostsRecord::take(const ring::Sample& sample) {
    if (recording_) {
        const auto taken = recording_->take(sample);
        if (!taken && !failed_) {
            failed_ = true;
            fail(taken.error());
        }
    }
}

int HostsRecord::end(bool interrupted) {
    if (!recording_) {
        return 0;
    }
    recording_->end(monotonic_now().ns, interrupted);
    if (recording_->unwritten() != 0) {
        return fail(
            {ErrorKind::kNoSpace,
             fmt::format("{} could not be written to {}", view::quantity(recording_->unwritten(), "row"), folder_),
             "what was recorded before can be read; record on another disk"});
    }
    if (recording_->hosts() == 0) {
        return fail({ErrorKind::kNotFound, "nothing was recorded in " + folder_ + ": no host has answered",
                     "start agents (kymo agent on every host), and give them a second"});
    }
    fmt::print(stderr, "kymo: {} hosts recorded in {}; kymo report {}\n", recording_->hosts(), folder_, folder_);
    return failed_ ? static_cast<int>(ErrorKind::kPermission) : 0;
}

}  // namespace kymo::cli
