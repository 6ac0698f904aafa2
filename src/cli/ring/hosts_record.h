// The recording of all hosts, if any: made on request, by an option or by a key.
#pragma once

#include "base/result.h"
#include "ring/record/ring_recording.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kymo::cli {

class HostsRecord {
  public:
    HostsRecord() = default;
    HostsRecord(const HostsRecord&) = delete;
    HostsRecord& operator=(const HostsRecord&) = delete;
    // Removes a recording folder to which no host has written.
    ~HostsRecord();
    // `path`: empty: one is chosen. `command`: arguments, each ended by a NUL. kOutputExists, kPermission.
    Result<void> begin(const std::string& path, const std::string& command, std::vector<ring::AskedMetric> asked,
                       std::function<std::string(ring::Slot)> name_of);
    void know(const std::vector<ring::AskedMetric>& asked);
    void take(const ring::Sample& sample);
    [[nodiscard]] const std::string& name() const { return folder_; }
    [[nodiscard]] bool is_on() const { return recording_.has_value(); }
    // The exit code.
    int end(bool interrupted);

  private:
    std::optional<ring::RingRecording> recording_;
    std::filesystem::path made_;
    std::string folder_;
    bool failed_ = false;
};

}  // namespace kymo::cli
