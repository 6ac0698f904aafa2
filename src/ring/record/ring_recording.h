// All hosts of the ring as one recording: a file for each slot, from the manager's samples.
//
// Every slot of a sample is written, with figures or as without an answer: no slot is omitted silently. Samples
// that hold sums only (reduce mode) make one file, of all hosts together; a sum that does not cover all of them is
// not written as a figure. One thread; the cost is a few rows per host and sample.
#pragma once

#include "ring/members/sample.h"
#include "ring/record/host_file.h"

#include <functional>

namespace kymo::ring {

struct RecordingSettings {
    std::filesystem::path folder;  // exists and is empty
    HostFacts facts;               // name: that of the file of sums
    std::vector<AskedMetric> asked;
    std::function<std::string(Slot)> name_of;  // empty: not known
};

class RingRecording {
  public:
    explicit RingRecording(RecordingSettings settings) : settings_(std::move(settings)) {}

    // As HostFile::know().
    void know(const std::vector<AskedMetric>& asked);
    // Returns the error of the first file that cannot be created; the others are still written.
    Result<void> take(const Sample& sample);
    void end(Time at, bool interrupted);

    [[nodiscard]] std::size_t hosts() const { return files_.size(); }
    [[nodiscard]] std::uint64_t unwritten() const;

  private:
    // Null: the file could not be created, or nothing is known of that slot yet.
    HostFile* file(Slot slot, bool answers, Result<void>& failed);

    RecordingSettings settings_;
    std::map<Slot, std::unique_ptr<HostFile>> files_;
};

}  // namespace kymo::ring
