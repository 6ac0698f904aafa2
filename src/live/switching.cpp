#include "live/switching.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace kymo::live {

Result<void> Switching::add(std::vector<NamedSwitch> more, ring::Manager& manager, std::uint64_t now) {
    std::vector<NamedSwitch> all = known_;
    std::vector<ring::Switch> ordered;
    for (NamedSwitch& each : more) {
        ordered.push_back(each.what);
        const auto same = std::find_if(all.begin(), all.end(), [&each](const NamedSwitch& known) {
            return known.what.metric == each.what.metric;
        });
        if (same == all.end()) {
            all.push_back(std::move(each));
        }
    }
    if (all.size() > ring::kMaxSwitches) {
        return Error{ErrorKind::kUsage, fmt::format("more than {} metrics are to be switched", ring::kMaxSwitches),
                     "switch the others by an agent's next manager"};
    }
    known_ = std::move(all);
    manager.order(std::move(ordered), now);
    return {};
}

std::vector<RingSwitch> Switching::state(const ring::Orders& orders) const {
    std::vector<RingSwitch> all;
    for (const ring::Switch& each : orders.state()) {
        for (const NamedSwitch& known : known_) {
            if (known.what.metric == each.metric) {
                all.push_back({known.metric, each, orders.answered()});
            }
        }
    }
    return all;
}

}  // namespace kymo::live
