#include "view/page/flows.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace kymo::view {
namespace {

using namespace spacetime;

struct PageFlow {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t from = 0;  // indices of Profile::threads
    std::uint32_t to = 0;
};

}  // namespace

void write_flows(const Profile& profile, const std::vector<FlowArrow>& flows, const TimeRange& range,
                 std::size_t most, Blob& blob) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> threads;
    for (std::uint32_t thread = 0; thread < profile.threads.size(); ++thread) {
        const ProfileThread& one = profile.threads[thread];
        threads[{profile.processes[one.process].pid, one.tid}] = thread;
    }
    std::vector<PageFlow> rows;
    for (const FlowArrow& flow : flows) {
        const auto from = threads.find({flow.from_pid, flow.from_tid});
        const auto to = threads.find({flow.to_pid, flow.to_tid});
        const auto since = [&](std::uint64_t time) { return time - std::min(time, profile.begin); };
        if (from != threads.end() && to != threads.end() && since(flow.end) >= range.begin &&
            since(flow.begin) < range.end) {
            rows.push_back({since(flow.begin), since(flow.end), from->second, to->second});
        }
    }
    if (rows.empty()) {
        return;
    }
    const std::size_t all = rows.size();
    if (all > most) {
        std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end(),
                         [](const PageFlow& a, const PageFlow& b) { return a.end - a.begin > b.end - b.begin; });
        rows.resize(most);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const PageFlow& a, const PageFlow& b) { return a.end < b.end; });
    std::vector<std::uint32_t> from;
    std::vector<std::uint32_t> to;
    std::vector<std::uint64_t> end;
    std::vector<std::uint64_t> length;
    for (const PageFlow& row : rows) {
        from.push_back(row.from);
        to.push_back(row.to);
        end.push_back(row.end);
        length.push_back(row.end - row.begin);
    }
    blob.json["flows"] = {{"all", all}, {"kept", rows.size()}};
    blob.varints("flow.from", from);
    blob.varints("flow.to", to);
    blob.deltas("flow.end", end);
    blob.varints("flow.length", length);
}

}  // namespace kymo::view
