// Keeps the files of the recorded processes, and the parent's own, below --max-size while they grow, by condensing
// their old rows (recording/history/condense_file.h), on a thread of its own: a large file takes seconds.
//
// Cost: 5 µs a file every tenth of a second, of more than a thousand files less often; and what condensing costs.
#pragma once

#include "launch/run/participant.h"
#include "launch/run/recorded_processes.h"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace kymo::launch {

class KeptHistory final : public RunParticipant {
  public:
    explicit KeptHistory(RecordedProcesses& recorded) : recorded_(recorded) {}
    ~KeptHistory() { stop(); }

    Result<void> started(RunScene& scene) override;
    std::uint64_t tick(RunScene& scene, std::uint64_t now) override;
    void ended(RunScene& scene, RecordOutcome& outcome) override;

  private:
    void work(const recording::Folder& folder, std::uint64_t most_bytes);
    // False: the recording is being read.
    bool look_at(const recording::Folder& folder, const std::string& name, std::uint64_t most_bytes);
    void stop();

    RecordedProcesses& recorded_;
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool is_over_ = false;            // under the mutex, as are:
    std::vector<std::string> files_;  // found so far
    std::optional<Error> problem_;    // the first
    std::size_t taken_ = 0;           // of the processes found
    // Of the thread alone:
    std::map<std::string, std::uint64_t> not_below_;  // a file that could not be made smaller: from where on again
};

}  // namespace kymo::launch
