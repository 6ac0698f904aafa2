#include "live/ring_view.h"

#include <algorithm>
#include <utility>

namespace kymo::live {

using ring::PartState;

double rate_of(const RingHost& host, Shown what) {
    const auto at = static_cast<std::size_t>(what);
    return at < host.a_second.size() ? host.a_second[at] : 0;
}

RingView RingHistory::take(ring::Sample sample, const std::vector<ring::MemberFile>& roster, std::uint64_t period) {
    RingView view;
    view.period = period;
    for (const ring::SamplePart& each : sample.parts) {
        RingHost host;
        host.slot = each.part.slot;
        host.name = fmt::format("slot {}", host.slot);
        host.state = each.part.state;
        host.offset = each.part.offset;
        host.clock_error = each.part.clock_error;
        for (const ring::MemberFile& member : roster) {
            host.name = member.slot == host.slot ? member.name : host.name;
        }
        if (host.state == PartState::kHole) {
            before_.erase(host.slot);
            view.hosts.push_back(std::move(host));
            continue;
        }
        host.now = each.records;
        host.a_second.resize(host.now.size());
        Before& before = before_[host.slot];
        if (before.records.size() == host.now.size() && before.latched < each.part.latched) {
            host.seconds = static_cast<double>(each.part.latched - before.latched) / 1e9;
            for (std::size_t i = 0; i < host.now.size(); ++i) {
                // Programs that end take their cells with them; that is not a change of nearly 2^64. A row that
                // could not be read before has not counted its whole value since.
                const auto change = static_cast<std::int64_t>(host.now[i].sum_low - before.records[i].sum_low);
                const bool is_same = host.now[i].unknown() == before.records[i].unknown();
                host.a_second[i] = change < 0 || !is_same ? 0 : static_cast<double>(change) / host.seconds;
            }
        }
        before = {each.part.incarnation, each.part.latched, host.now};
        view.hosts.push_back(std::move(host));
    }
    view.sample = std::move(sample);
    return view;
}

}  // namespace kymo::live
