// Activity on all hosts between two samples of the ring: rates by host, with the coverage.
//
// A pure function of the samples and the roster. A host that is a hole in a sample has no rates; it has rates
// again after two consecutive samples with it.
#pragma once

#include "live/request.h"
#include "ring/members/manager.h"
#include "ring/protocol/order.h"
#include "ring/transport/member_file.h"
#include "ring/transport/service_cells.h"

#include <map>
#include <string>
#include <vector>

namespace kymo::live {

struct RingHost {
    ring::Slot slot = 0;
    std::string name;
    ring::PartState state = ring::PartState::kHole;
    double seconds = 0;  // between its latches; 0: no rates
    std::int64_t offset = 0;
    std::uint64_t clock_error = 0;
    std::vector<ring::Record> now;
    std::vector<double> a_second;  // change of the sums
};

// A metric with an order to be switched.
struct RingSwitch {
    std::string metric;
    ring::Switch what;         // with the programs of all hosts that have answered
    std::size_t answered = 0;  // number of hosts that have answered
};

struct RingView {
    ring::Sample sample;
    std::vector<RingSwitch> switches;
    std::vector<RingHost> hosts;
    std::vector<ring::ChannelState> channels;  // the manager's own
    std::vector<ring::Trips> trips;
    ring::ManagerCounts counts;
    std::uint64_t period = 0;  // ns, as adapted
};

// A second; 0 if there is none.
double rate_of(const RingHost& host, Shown what);

class RingHistory {
  public:
    RingView take(ring::Sample sample, const std::vector<ring::MemberFile>& roster, std::uint64_t period);

  private:
    struct Before {
        std::uint64_t incarnation = 0;
        std::uint64_t latched = 0;
        std::vector<ring::Record> records;
    };
    std::map<ring::Slot, Before> before_;
};

}  // namespace kymo::live
