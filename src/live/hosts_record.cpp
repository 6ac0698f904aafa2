#include "live/hosts_record.h"

#include "base/time.h"
#include "view/text.h"

#include <fmt/format.h>
#include <utility>

namespace kymo::live {

HostsRecord::~HostsRecord() {
    if (recording_ && recording_->hosts() == 0) {
        std::error_code ignored;
        std::filesystem::remove(made_, ignored);
    }
}

Result<void> HostsRecord::begin(const HostsRecordOptions& options, std::vector<ring::AskedMetric> asked,
                                std::function<std::string(ring::Slot)> name_of) {
    const std::string& path = options.path;
    const auto folder = options.make_folder(path.empty() ? std::nullopt : std::optional<std::filesystem::path>(path));
    if (!folder) {
        return folder.error();
    }
    ring::RecordingSettings settings;
    settings.folder = made_ = *folder;
    std::error_code ignored;
    settings.facts = {"all hosts", options.command, std::filesystem::current_path(ignored), options.producer};
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

void HostsRecord::take(const ring::Sample& sample, const Console& console) {
    if (recording_) {
        const auto taken = recording_->take(sample);
        if (!taken && !failed_) {
            failed_ = true;
            console.fail(taken.error());
        }
    }
}

int HostsRecord::end(bool interrupted, const Console& console) {
    if (!recording_) {
        return 0;
    }
    recording_->end(monotonic_now().ns, interrupted);
    if (recording_->unwritten() != 0) {
        return console.fail(
            {ErrorKind::kNoSpace,
             fmt::format("{} could not be written to {}", view::quantity(recording_->unwritten(), "row"), folder_),
             "what was recorded before can be read; record on another disk"});
    }
    if (recording_->hosts() == 0) {
        return console.fail({ErrorKind::kNotFound, "nothing was recorded in " + folder_ + ": no host has answered",
                             "start agents (kymo agent on every host), and give them a second"});
    }
    console.note(fmt::format("{} hosts recorded in {}; kymo report {}", recording_->hosts(), folder_, folder_));
    return failed_ ? static_cast<int>(ErrorKind::kPermission) : 0;
}

}  // namespace kymo::live
