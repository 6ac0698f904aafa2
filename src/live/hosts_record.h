// The recording of all hosts, if any: made on request, by an option or by a key.
#pragma once

#include "base/result.h"
#include "live/console.h"
#include "ring/record/ring_recording.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kymo::live {

struct HostsRecordOptions {
    std::string path;      // of the folder; empty: one is chosen
    std::string command;   // arguments, each ended by a NUL
    std::string producer;  // the program that records, with its version
    // Makes the folder of that path, or of a free name, and returns its absolute path. kOutputExists, kPermission.
    std::function<Result<std::filesystem::path>(const std::optional<std::filesystem::path>&)> make_folder;
};

class HostsRecord {
  public:
    HostsRecord() = default;
    HostsRecord(const HostsRecord&) = delete;
    HostsRecord& operator=(const HostsRecord&) = delete;
    // Removes a recording folder to which no host has written.
    ~HostsRecord();
    // The errors of make_folder.
    Result<void> begin(const HostsRecordOptions& options, std::vector<ring::AskedMetric> asked,
                       std::function<std::string(ring::Slot)> name_of);
    void know(const std::vector<ring::AskedMetric>& asked);
    // The first error of all samples is printed.
    void take(const ring::Sample& sample, const Console& console);
    [[nodiscard]] const std::string& name() const { return folder_; }
    [[nodiscard]] bool is_on() const { return recording_.has_value(); }
    // Prints what was recorded, or why it was not. Returns the exit code.
    int end(bool interrupted, const Console& console);

  private:
    std::optional<ring::RingRecording> recording_;
    std::filesystem::path made_;
    std::string folder_;
    bool failed_ = false;
};

}  // namespace kymo::live
