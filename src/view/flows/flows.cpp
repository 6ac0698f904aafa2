#include "view/flows/flows.h"

#include "base/clean_text.h"
#include "view/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

// The threads' names, by the numbers of their process and their own.
class FlowThreads {
  public:
    explicit FlowThreads(const Profile& profile) {
        for (const ProfileThread& thread : profile.threads) {
            names_[{profile.processes[thread.process].pid, thread.tid}] = thread.name;
        }
    }
    std::string name_of(std::uint64_t pid, std::uint64_t tid) const {
        const auto found = names_.find({pid, tid});
        return found == names_.end() || found->second.empty() ? std::to_string(tid)
                                                              : fmt::format("{} {}", found->second, tid);
    }

  private:
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> names_;
};

}  // namespace

std::string terminal_flows(const Style& style, const Profile& profile, const std::vector<FlowSum>& flows,
                           std::size_t top) {
    if (flows.empty()) {
        return {};
    }
    const FlowThreads threads(profile);
    Table table;
    table.headings = {"time", "flows", "longest", "flow, from which thread to which"};
    const std::size_t shown = std::min(top, flows.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const FlowSum& flow = flows[i];
        table.rows.push_back({{duration(style, flow.total_ns)},
                              {count(flow.count)},
                              {duration(style, flow.longest_ns)},
                              {flow.name.empty() ? std::string("without a name") : flow.name, Ink::kName},
                              {fmt::format(", {} → {}", threads.name_of(flow.from_pid, flow.from_tid),
                                           threads.name_of(flow.to_pid, flow.to_tid))}});
    }
    std::string out = "\n" + paint(style, Ink::kHeading, "Flows") + "  " +
                      paint(style, Ink::kDim, "of the trace, from when they leave a thread to when they arrive") +
                      "\n";
    out += render(style, table);
    if (shown < flows.size()) {
        out += fmt::format("  and {} more (--top)\n", flows.size() - shown);
    }
    return out;
}

Json json_flows(const Profile& profile, const std::vector<FlowSum>& flows) {
    const FlowThreads threads(profile);
    const auto end = [&](std::uint64_t pid, std::uint64_t tid) {
        return Json{{"pid", pid}, {"tid", tid}, {"thread", threads.name_of(pid, tid)}};
    };
    Json list = Json::array();
    for (const FlowSum& flow : flows) {
        const std::uint64_t at = flow.longest_at - std::min(flow.longest_at, profile.begin);
        list.push_back({{"name", flow.name},
                        {"from", end(flow.from_pid, flow.from_tid)},
                        {"to", end(flow.to_pid, flow.to_tid)},
                        {"count", flow.count},
                        {"total_s", seconds(flow.total_ns)},
                        {"longest_s", seconds(flow.longest_ns)},
                        {"longest_at_s", seconds(at)}});
    }
    return list;
}

}  // namespace kymo::view
