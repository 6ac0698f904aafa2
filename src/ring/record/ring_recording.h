// All hosts of the ring as one recording: a file for each slot, from the manager's samples.
//
// Every slot that a sample is about is told of, with figures or as without an answer: nothing is left out in silence.
// Samples that hold sums only (reduce mode) make one file, of all hosts together; one that does not cover all of them
// is then no figure at all. One thread; the cost is a few rows a host and sample.
#pragma once

#include "ring/members/sample.h"
#include "ring/record/host_file.h"

#include <functional>

namespace kymo::ring {

struct RecordingSettings {
    std::filesystem::path folder;  // that is there, and empty
    HostFacts facts;               // name: of the file of sums
    std::vector<AskedMetric> asked;
    std::function<std::string(Slot)> name_of;  // empty: it is not known
};

class RingRecording {
  public:
    explicit RingRecording(RecordingSettings settings) : settings_(std::move(settings)) {}

    // As HostFile::know().
    void know(const std::vector<AskedMetric>& asked);
    // The error of the first file that cannot be made; whatever can be is written all the same.
    Result<void> take(const Sample& sample);
    void end(Time at, bool interrupted);

    [[nodiscard]] std::size_t hosts() const { return files_.size(); }
    [[nodiscard]] std::uint64_t unwritten() const;

  private:
    // Null: there is none, since it could not be made, or since nothing at all is known of that slot yet.
    HostFile* file(Slot slot, bool answers, Result<void>& failed);

    RecordingSettings settings_;
    std::map<Slot, std::unique_ptr<HostFile>> files_;
};

}  // namespace kymo::ring
