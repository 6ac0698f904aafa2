#include "host/other_ends.h"

#include "base/channels/ends.h"

#include <string>
#include <utility>

namespace kymo::host {

void find_other_ends(std::vector<LiveChannel>& channels) {
    using Process = std::pair<std::string, std::uint32_t>;
    ChannelEnds<Process> ends;
    for (const LiveChannel& each : channels) {
        if (each.is_end()) {
            ends.add({0, each.communicator_id}, {0, each.peer_end}, receives(each.raw_direction()),
                     {each.program, each.pid});
        }
    }
    for (LiveChannel& each : channels) {
        if (!each.is_end()) {
            continue;
        }
        const EndId other = ends.opposite({0, each.communicator_id}, {0, each.peer_end});
        const auto& there = receives(each.raw_direction()) ? ends.senders(other) : ends.receivers(other);
        if (there.empty()) {
            each.other = each.communicator.empty() ? "not counted" : each.communicator;
        } else if (there.size() > 1) {
            each.other = "several";
        } else {
            each.other = there.begin()->first + " " + std::to_string(there.begin()->second);
        }
    }
}

}  // namespace kymo::host
