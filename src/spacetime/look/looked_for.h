// What a recording says of being a second look (`kymo record --for`): the rows look and left-out.
#pragma once

#include "base/result.h"
#include "recording/handlers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kymo::spacetime {

struct LookedFor {
    bool is_look = false;
    std::string recording;  // path of the earlier one, as it was
    std::uint64_t begin = 0;
    std::vector<std::string> events;  // as asked for
    std::uint64_t left_out = 0;       // samples of further events outside the selected code
};

// One file's rows of it. A reader of rows (recording/handlers.h).
struct LookRows {
    void read_from(const recording::File& file, recording::Handlers& handlers);
    LookedFor here;
};

// `files`: the rows of all files of the recording.
LookedFor looked_for(const std::vector<LookRows>& files);

// How a run is known again, and how it was started.
struct RunIdentity {
    std::uint64_t begin = 0;  // 0: it has no run row (no parent recorded it)
    std::vector<std::string> command;
    std::string directory;
};
Result<RunIdentity> load_run_identity(const recording::Recording& recording);

}  // namespace kymo::spacetime
