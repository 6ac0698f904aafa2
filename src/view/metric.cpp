#include "view/metric.h"

#include <algorithm>

namespace kymo::view {

using namespace spacetime;

std::int64_t Metric::of(std::span<const std::int64_t> costs) const {
    std::int64_t sum = 0;
    for (const std::size_t column : columns) {
        sum += costs[column];
    }
    return sum;
}

bool knows_processor_time(const Profile& profile) {
    return std::any_of(profile.events.begin(), profile.events.end(),
                       [](const EventInfo& event) { return event.name == "task-clock"; });
}

Result<Metric> find_metric(const Profile& profile, std::string_view name) {
    const std::vector<std::pair<std::string_view, Metric>> known = {
        {"", {knows_processor_time(profile) ? "processor time" : "time", {kUser, kSystem}, true, true}},
        {"user", {"user time", {kUser}, true, true}},
        {"system", {"system time", {kSystem}, true, true}},
        {"off-cpu", {"off-CPU time", {kOffCpu}, true, true}},
        {"wall", {"wall time", {kUser, kSystem, kOffCpu}, true, true}},
        {"samples", {"samples", {kSamples}, false, false}},
    };
    std::string names;
    for (const auto& [key, metric] : known) {
        if (key == name) {
            return metric;
        }
        names += key.empty() ? "" : std::string(key) + ", ";
    }
    for (std::size_t i = 0; i < profile.events.size(); ++i) {
        const EventInfo& event = profile.events[i];
        if (event.name == name) {
            return Metric{event.name, {kFirstEvent + i}, event.unit == "ns", false};
        }
        names += event.name + ", ";
    }
    if (!names.empty()) {
        names.resize(names.size() - 2);
    }
    return Error{ErrorKind::kUnknownEvent, "the recording has no event \"" + std::string(name) + "\"",
                 "sort by one of: " + names};
}

double share(std::int64_t value, std::int64_t total) {
    return total <= 0 ? 0.0 : static_cast<double>(value) / static_cast<double>(total);
}

}  // namespace kymo::view
