#include "spacetime/flows/flows.h"

#include <algorithm>
#include <utility>

namespace kymo::spacetime {

void FlowRows::read_from(const recording::File& /*file*/, recording::Handlers& handlers) {
    handlers.on<recording::Flow>([this](StreamId, const recording::Flow& row) {
        std::string key(row.name);
        for (const std::uint64_t number : {row.from_pid, row.from_tid, row.to_pid, row.to_tid}) {
            key.append(1, '\0').append(std::to_string(number));
        }
        const bool is_other = sums.size() >= kMostSums && !sums.contains(key);
        FlowSum& sum = sums[is_other ? std::string() : std::move(key)];
        if (sum.count == 0 && is_other) {
            sum.name = "other flows";
        } else if (sum.count == 0) {
            sum.name = row.name;
            sum.from_pid = row.from_pid;
            sum.from_tid = row.from_tid;
            sum.to_pid = row.to_pid;
            sum.to_tid = row.to_tid;
        }
        const std::uint64_t length = row.time - std::min(row.time, row.begin);
        if (sum.count == 0 || length > sum.longest_ns) {
            sum.longest_ns = length;
            sum.longest_at = row.begin;
        }
        ++sum.count;
        sum.total_ns += length;
        if (arrows.size() < kMostArrows) {
            arrows.push_back({row.begin, row.time, row.from_pid, row.from_tid, row.to_pid, row.to_tid});
        }
    });
}

RunFlows run_flows(std::vector<FlowRows> files) {
    RunFlows all;
    for (FlowRows& file : files) {
        for (auto& [key, sum] : file.sums) {
            all.sums.push_back(std::move(sum));
        }
        all.arrows.insert(all.arrows.end(), file.arrows.begin(), file.arrows.end());
    }
    std::stable_sort(all.sums.begin(), all.sums.end(),
                     [](const FlowSum& a, const FlowSum& b) { return a.total_ns > b.total_ns; });
    return all;
}

}  // namespace kymo::spacetime
