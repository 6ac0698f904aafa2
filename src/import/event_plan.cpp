#include "import/event_plan.h"

#include "recording/tables/events.h"

#include <algorithm>
#include <linux/perf_event.h>
#include <map>
#include <string_view>

namespace kymo::import {
namespace {

using perf::Attribute;
using recording::EventMode;

// "cycles" of "cycles:u", "cycles:ppp", "cpu_core/cycles/u".
std::string plain_name(std::string_view name) {
    if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
        const std::size_t end = name.find('/', slash + 1);
        const std::string_view inside = name.substr(slash + 1, end == std::string_view::npos ? end : end - slash - 1);
        const bool is_word = !inside.empty() && inside.find_first_of("=,") == std::string_view::npos;
        return std::string(is_word ? inside : name);
    }
    const std::size_t colon = name.rfind(':');
    constexpr std::string_view kModifiers = "ukhGHpPISDWeb";
    const bool is_modified = colon != std::string_view::npos && colon + 1 < name.size() &&
                             name.find_first_not_of(kModifiers, colon + 1) == std::string_view::npos;
    return std::string(is_modified ? name.substr(0, colon) : name);
}

bool is_clock(const Attribute& attribute) {
    return attribute.type == PERF_TYPE_SOFTWARE &&
           (attribute.config == PERF_COUNT_SW_CPU_CLOCK || attribute.config == PERF_COUNT_SW_TASK_CLOCK);
}

// On processors of several kinds the upper half of the number says of which one.
bool is_cycles(const Attribute& attribute) {
    const std::uint64_t config = attribute.config & 0xffff'ffffU;
    const std::string name = plain_name(attribute.name);
    return (attribute.type == PERF_TYPE_HARDWARE &&
            (config == PERF_COUNT_HW_CPU_CYCLES || config == PERF_COUNT_HW_REF_CPU_CYCLES)) ||
           name == "cycles" || name == "cpu-cycles" || name == "ref-cycles";
}

PlannedEvent planned(const Attribute& attribute, std::string name) {
    PlannedEvent event;
    event.name = std::move(name);
    event.unit = is_clock(attribute) ? "ns" : "";
    event.mode = static_cast<std::uint64_t>(attribute.is_frequency  ? EventMode::kFrequency
                                            : attribute.period != 0 ? EventMode::kPeriod
                                                                    : EventMode::kCount);
    event.value = attribute.is_frequency ? attribute.frequency : attribute.period;
    event.type = attribute.type;
    event.config = attribute.config;
    event.precise = attribute.precise;
    event.user_only = attribute.exclude_kernel;
    return event;
}

}  // namespace

EventPlan plan_events(std::span<const Attribute> attributes) {
    EventPlan plan;
    const auto find = [&](const auto& fits) {
        const auto found = std::find_if(attributes.begin(), attributes.end(), fits);
        return found == attributes.end() ? std::nullopt
                                         : std::optional(static_cast<std::uint32_t>(found - attributes.begin()));
    };
    const auto clock = find(is_clock);
    const auto cycles = find(is_cycles);
    plan.pace = clock ? *clock : cycles.value_or(0);
    plan.switches = find([](const Attribute& attribute) {
                        return attribute.type == PERF_TYPE_SOFTWARE &&
                               attribute.config == PERF_COUNT_SW_CONTEXT_SWITCHES && !attribute.is_frequency &&
                               attribute.period == 1;
                    }).value_or(plan.switches);
    // The first of the two is taken by the waking thread in any case.
    const auto named = [&](std::string_view name) {
        return find([&](const Attribute& attribute) {
            return attribute.type == PERF_TYPE_TRACEPOINT && attribute.name.starts_with(name) &&
                   (attribute.sample_type & PERF_SAMPLE_RAW) != 0;
        });
    };
    const auto waking = named("sched:sched_waking");
    plan.wakes = (waking ? waking : named("sched:sched_wakeup")).value_or(plan.wakes);
    plan.has_times = std::all_of(attributes.begin(), attributes.end(), [](const Attribute& attribute) {
        return (attribute.sample_type & PERF_SAMPLE_TIME) != 0;
    });
    plan.kind = !plan.has_times ? Pace::kUnknown
                : clock         ? Pace::kCounted
                : cycles        ? Pace::kEstimated
                                : Pace::kUnknown;

    std::map<std::string, int> uses;
    for (const Attribute& attribute : attributes) {
        ++uses[plain_name(attribute.name)];
    }
    for (std::uint32_t i = 0; i < attributes.size(); ++i) {
        const Attribute& attribute = attributes[i];
        std::string name = plain_name(attribute.name);
        name = clock == i ? "task-clock" : uses[name] > 1 || name == "task-clock" ? attribute.name : name;
        plan.events.push_back(planned(attribute, std::move(name)));
    }
    if (clock) {
        plan.clock = *clock;
    } else {
        plan.clock = plan.events.size();
        plan.events.push_back({.name = "task-clock", .unit = "ns"});
    }
    plan.system = plan.events.size();
    plan.events.push_back({.name = "system-time", .unit = "ns"});
    if (plan.pace < attributes.size()) {
        const Attribute& attribute = attributes[plan.pace];
        plan.sees_kernel = !attribute.exclude_kernel;
        plan.usual_gap_ns =
            attribute.is_frequency && attribute.frequency != 0 ? 1e9 / static_cast<double>(attribute.frequency) : 0;
    }
    return plan;
}

std::optional<events::Missing> missing_time(const EventPlan& plan) {
    if (plan.kind == Pace::kEstimated) {
        return events::Missing{"the exact time on a processor",
                               "no event of the file counts it; it is estimated from how close samples of " +
                                   plan.events[plan.pace].name + " follow each other",
                               "perf record -e task-clock"};
    }
    if (!plan.has_times) {
        return events::Missing{"when anything happened, and the time on a processor",
                               "the file's samples have no times", "perf record with --timestamp"};
    }
    if (plan.kind == Pace::kUnknown) {
        return events::Missing{"the time on a processor", "no event of the file counts it, or cycles",
                               "perf record -e task-clock"};
    }
    return std::nullopt;
}

}  // namespace kymo::import
