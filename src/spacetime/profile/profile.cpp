#include "spacetime/profile/profile.h"

#include "base/clean_text.h"

#include <algorithm>

namespace kymo::spacetime {

std::vector<std::uint32_t> parents_of(const Profile& profile) {
    std::vector<std::uint32_t> parents;
    parents.reserve(profile.nodes.size());
    for (const ProfileNode& node : profile.nodes) {
        parents.push_back(node.parent);
    }
    return parents;
}

std::string called_name(const std::vector<std::string>& command, const std::string& executable) {
    std::string name = command.empty() ? std::string() : command.front();
    name.erase(0, name.rfind('/') + 1);
    name.erase(0, name.starts_with('-') ? 1 : 0);  // a login shell's
    // A title that a server has put there is not a program's name.
    const bool is_name = !name.empty() && name.find_first_of(" :") == std::string::npos;
    return clean_text(is_name ? name : executable.substr(executable.rfind('/') + 1));
}

std::size_t clock_event(const Profile& profile) {
    const std::vector<std::uint64_t>& samples = profile.samples_by_event;
    for (const char* name : {"task-clock", "cpu-clock", "cycles", "cpu-cycles"}) {
        for (std::size_t event = 0; event < profile.events.size(); ++event) {
            if (profile.events[event].name == name && samples[event] != 0) {
                return event;
            }
        }
    }
    const auto most = std::max_element(samples.begin(), samples.end());
    return most != samples.end() && *most != 0 ? static_cast<std::size_t>(most - samples.begin())
                                               : profile.events.size();
}

std::vector<std::vector<std::int64_t>> process_costs(const Profile& profile) {
    std::vector<std::vector<std::int64_t>> costs(profile.processes.size(),
                                                 std::vector<std::int64_t>(profile.self.columns()));
    for (const ProfileThread& thread : profile.threads) {
        std::vector<std::int64_t>& row = costs[thread.process];
        for (std::size_t i = 0; i < row.size() && i < thread.costs.size(); ++i) {
            row[i] += thread.costs[i];
        }
    }
    return costs;
}

std::uint64_t clock_period(const Profile& profile) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const std::size_t clock = clock_event(profile);
    if (clock >= profile.events.size() || profile.events[clock].unit != "ns" || profile.events[clock].value == 0) {
        return 0;
    }
    const EventInfo& event = profile.events[clock];
    return event.mode == recording::EventMode::kFrequency ? kSecond / event.value : event.value;
}

}  // namespace kymo::spacetime
