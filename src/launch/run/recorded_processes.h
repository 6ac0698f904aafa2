// The processes on this machine that write a file into the recording's folder, found by the parent while they run.
//
// The first rows of a file name the process by the kernel's number. Left out: processes of other hosts and of other
// ranks' parents, processes whose number in this PID namespace is unknown, and closed files, whose numbers may belong
// to other processes by now.
//
// Cost: one stat() of the folder a call; if it has changed, a listing and 50 µs for each new file.
#pragma once

#include "launch/run/participant.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace kymo::launch {

class RecordedProcesses {
  public:
    struct Found {
        std::uint64_t pid = 0;
        std::string file;  // name in the folder; a process that calls exec() begins a new one
    };

    // Looks for new files. Returns all processes found so far, in the order in which they were found.
    const std::vector<Found>& look(const RunScene& scene);

  private:
    [[nodiscard]] bool has_changed(const RunScene& scene);

    std::vector<Found> found_;
    std::unordered_map<std::string, int> files_;  // how often each was opened in vain; kDone: not opened again
    std::size_t unclear_ = 0;                     // files that will be opened again
    std::int64_t changed_ = 0;                    // the folder's time of change at the last listing, ns
    bool is_settled_ = false;                     // the folder changed well before that listing
    std::uint64_t calls_ = 0;
};

}  // namespace kymo::launch
