// kymo top --rendezvous: the manager of the service ring, and what it shows.
#pragma once

#include "cli/ring/meeting.h"
#include "cli/ring/switching.h"
#include "live/request.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kymo::cli {

struct RingTopOptions {
    RingOptions ring;
    double period = 1;
    std::uint64_t times = 0;  // 0: without end
    bool json = false;
    bool totals = false;  // sums over hosts only
    std::uint32_t segments = 0;
    double bytes_a_second = 10'000'000;
    double work_share = 0.001;
    std::string record;      // folder of a recording to be made; empty: none
    std::string prometheus;  // the address to serve it at; empty: not served
    std::string command;     // for the recording: arguments, each ended by a NUL
    std::vector<live::Asked> asked;
    std::vector<NamedSwitch> switches;
    std::string host;                      // the host whose rows are requested, too; empty: none
    std::optional<std::uint32_t> process;  // of that host: its threads
    bool live = false;                     // on a screen with keys
    bool orders = false;                   // more of them come from standard input
};

// Runs until it is stopped, or has shown the requested number of samples.
int run_ring_top(const RingTopOptions& options, const std::function<bool()>& is_stopped);

}  // namespace kymo::cli
