// How much memory the recorded processes have, read by the parent from /proc/PID/statm while they run; nothing is
// done inside of them.
//
// Read are the program, and every process that keeps a file in the recording's folder; its first rows say which
// process of this system it is. Processes on other hosts, of other ranks' parents, and those that this system's /proc
// does not show have no rows: what is not seen is not known.
//
// Cost: 2 µs a reading, at most kMostReadings at a time, at most every kShortestPeriod at first and every
// kLongestPeriod later on; one open descriptor a process, which also keeps its number from meaning another one.
#pragma once

#include "base/descriptor.h"
#include "launch/run/participant.h"
#include "launch/run/resident_rows.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

namespace kymo::launch {

class MemorySamples final : public RunParticipant {
  public:
    static constexpr std::size_t kMostProcesses = 512;  // at a time: a process may have 1,024 descriptors open
    static constexpr std::size_t kMostReadings = 256;
    static constexpr std::uint64_t kShortestPeriod = 10'000'000;  // ns
    static constexpr std::uint64_t kLongestPeriod = 100'000'000;

    // `proc`: where the system shows its processes.
    explicit MemorySamples(std::string proc = "/proc") : proc_(std::move(proc)) {}

    std::uint64_t tick(RunScene& scene, std::uint64_t now) override;
    void ended(RunScene& scene, RecordOutcome& outcome) override;

    // Between readings: short at first, so that short runs have a course, too.
    static std::uint64_t period(std::uint64_t since_begun);

  private:
    struct Seen {
        Descriptor statm;
        ResidentRows rows;
    };
    [[nodiscard]] bool shows_this_system() const;
    void look_for_processes(RunScene& scene);
    void add(std::uint64_t pid);
    void read(RunScene& scene, std::uint64_t now, std::size_t most);

    std::string proc_;
    bool is_begun_ = false;
    bool is_off_ = false;  // there is nothing to read from
    std::uint64_t due_ = 0;
    std::uint64_t ticks_ = 0;
    std::map<std::uint64_t, Seen> processes_;  // by pid
    std::uint64_t next_ = 0;                   // pid from which the next readings go on
    // Files of the folder: how often they were looked into in vain; kDone: no more.
    std::unordered_map<std::string, int> files_;
    bool has_no_room_ = false;
};

}  // namespace kymo::launch
