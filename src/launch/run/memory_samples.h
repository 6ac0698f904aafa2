// The memory of the recorded processes, read by the parent from /proc/PID/statm while they run; nothing is
// done inside them.
//
// It reads the program, and every process with a file in the recording's folder (recorded_processes.h). Other
// processes have no rows: their memory is not known.
//
// Cost: 2 µs a reading, at most kMostReadings at a time, at most every kShortestPeriod at first and every
// kLongestPeriod later on; one open descriptor a process, which also prevents that its number is reused.
#pragma once

#include "base/descriptor.h"
#include "launch/run/participant.h"
#include "launch/run/recorded_processes.h"
#include "launch/run/resident_rows.h"

#include <cstdint>
#include <map>
#include <string>

namespace kymo::launch {

class MemorySamples final : public RunParticipant {
  public:
    static constexpr std::size_t kMostProcesses = 512;  // at a time: a process may have 1,024 open descriptors
    static constexpr std::size_t kMostReadings = 256;
    static constexpr std::uint64_t kShortestPeriod = 10'000'000;  // ns
    static constexpr std::uint64_t kLongestPeriod = 100'000'000;

    // `proc`: the path of the system's processes.
    explicit MemorySamples(RecordedProcesses& recorded, std::string proc = "/proc")
        : recorded_(recorded), proc_(std::move(proc)) {}

    std::uint64_t tick(RunScene& scene, std::uint64_t now) override;
    void ended(RunScene& scene, RecordOutcome& outcome) override;

    // Between readings: short at first, so that short runs have several.
    static std::uint64_t period(std::uint64_t since_begun);

  private:
    struct Seen {
        Descriptor statm;
        ResidentRows rows;
    };
    [[nodiscard]] bool shows_this_system() const;
    void add_new(const RunScene& scene);
    void add(std::uint64_t pid);
    void read(RunScene& scene, std::uint64_t now, std::size_t most);

    RecordedProcesses& recorded_;
    std::size_t taken_ = 0;  // of those found
    std::string proc_;
    bool is_begun_ = false;
    bool is_off_ = false;  // there is nothing to read
    std::uint64_t due_ = 0;
    std::map<std::uint64_t, Seen> processes_;  // by pid
    std::uint64_t next_ = 0;                   // pid from which the next readings continue
    bool has_no_room_ = false;
};

}  // namespace kymo::launch
