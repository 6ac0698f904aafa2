// kymo top of many hosts: the manager of the service ring, and what it shows, records and serves.
#pragma once

#include "base/result.h"
#include "live/console.h"
#include "live/hosts_record.h"
#include "live/request.h"
#include "live/switching.h"
#include "ring/meeting/meeting.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kymo::live {

struct RingSessionOptions {
    ring::MeetingOptions ring;
    double period = 1;
    std::uint64_t times = 0;  // 0: without end
    bool json = false;
    bool totals = false;  // sums over hosts only
    std::uint32_t segments = 0;
    double bytes_a_second = 10'000'000;
    double work_share = 0.001;
    bool records = false;       // from the beginning; otherwise when a key is pressed
    HostsRecordOptions record;  // of that recording
    std::string prometheus;     // the address to serve it at; empty: not served
    std::vector<Asked> asked;
    std::vector<NamedSwitch> switches;
    std::string host;                      // the host whose rows are requested, too; empty: none
    std::optional<std::uint32_t> process;  // of that host: its threads
    bool live = false;                     // on a screen with keys
    bool orders = false;                   // more of them come from standard input
    // Reads one of these orders. Its errors are printed, and the session continues.
    std::function<Result<std::vector<NamedSwitch>>(const std::string&)> parse_order;
};

// Runs until it is stopped, or has shown the requested number of samples. Returns the exit code: 0, or that of the
// error that was printed. One thread, the caller's; a library that talks to members and servers is loaded into it.
int run_ring_session(const RingSessionOptions& options, const Console& console,
                     const std::function<bool()>& is_stopped);

}  // namespace kymo::live
