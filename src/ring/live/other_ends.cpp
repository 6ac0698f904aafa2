#include "ring/live/other_ends.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace kymo::ring {

void find_other_ends(std::vector<LiveChannel>& channels) {
    using Process = std::pair<std::string, std::uint32_t>;
    std::map<std::uint64_t, std::set<Process>> users[2];  // of an end: who sends by it, who receives
    std::map<std::uint64_t, std::uint64_t> peers;
    for (const LiveChannel& each : channels) {
        if (each.is_end()) {
            users[receives(each.raw_direction()) ? 1 : 0][each.communicator_id].emplace(each.program, each.pid);
            if (each.peer_end != 0) {
                peers.emplace(each.peer_end, each.communicator_id);
            }
        }
    }
    for (LiveChannel& each : channels) {
        if (!each.is_end()) {
            continue;
        }
        const auto known = peers.find(each.communicator_id);
        const std::uint64_t other = each.peer_end != 0 || known == peers.end() ? each.peer_end : known->second;
        const unsigned side = receives(each.raw_direction()) ? 0 : 1;
        // By what it sends where nobody's receiving was counted, and the other way round.
        const std::set<Process>* found = nullptr;
        for (const unsigned of : {side, 1 - side}) {
            const auto at = users[of].find(other);
            found = found == nullptr && at != users[of].end() ? &at->second : found;
        }
        if (other == 0 || found == nullptr) {
            each.other = each.communicator.empty() ? "not counted" : each.communicator;
        } else if (found->size() > 1) {
            each.other = "several";
        } else {
            each.other = found->begin()->first + " " + std::to_string(found->begin()->second);
        }
    }
}

}  // namespace kymo::ring
