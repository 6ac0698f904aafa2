// The address maps of the recorded processes, read from outside when their memory has changed size, as rows of the
// changes since the previous reading (docs/recording-format.md, "Areas"). So nothing in the program is disturbed,
// however many threads it has: its own monitor reads the map only while there is one thread.
//
// Ten times a second at most it compares each process's size (/proc/PID/statm). Processes are those with a
// file in the recording's folder (recorded_processes.h); a reading counts only if the map holds that file, so that no
// other process with the same number is taken for it. The first kFreeReadings of a process are always taken, of the
// others only as many as take at most 1/kCost of the run together. A change that leaves the size as it was, or is
// undone within a tenth of a second, is not seen.
#pragma once

#include "launch/run/participant.h"
#include "launch/run/recorded_processes.h"
#include "recording/areas/area_list.h"
#include "recording/areas/map_text.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kymo::launch {

class OutsideMaps final : public RunParticipant {
  public:
    explicit OutsideMaps(RecordedProcesses& recorded) : recorded_(recorded) {}

    Result<void> started(RunScene& scene) override;
    std::uint64_t tick(RunScene& scene, std::uint64_t now) override;

  private:
    static constexpr std::size_t kMostAreas = 4096;    // at a reading
    static constexpr std::size_t kMostProcesses = 64;  // at once; others are left to their monitors
    static constexpr std::uint64_t kPause = 100'000'000;
    static constexpr std::uint64_t kFreeReadings = 16;
    static constexpr std::uint64_t kCost = 200;

    struct Watched {
        std::uint64_t pid = 0;
        std::string file;         // of the recording: names the process image
        std::uint64_t pages = 0;  // its size at the last reading
        std::uint64_t readings = 0;
        std::uint64_t passed_over = 0;
        std::uint64_t lost = 0;
        std::unique_ptr<recording::AreaList<kMostAreas>> areas;
    };

    void add_new(const RunScene& scene);
    // False: it has ended, or runs another program by now.
    bool look(RunScene& scene, Watched& process);
    bool read(RunScene& scene, Watched& process);
    static void leave(RunScene& scene, Watched& process);

    RecordedProcesses& recorded_;
    std::size_t taken_ = 0;  // of those found
    std::uint64_t begun_ = 0;
    Interval interval_{kPause};
    std::uint64_t spent_ = 0;  // ns, on all readings
    std::vector<Watched> watched_;
    recording::MapText text_;
};

}  // namespace kymo::launch
