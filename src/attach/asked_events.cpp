#include "attach/asked_events.h"

#include "events/attributes.h"
#include "events/plan.h"

#include <algorithm>
#include <cerrno>
#include <optional>

namespace kymo::attach {
namespace {

using events::Mode;
using events::SessionEvent;

bool is_software(const SessionEvent& event, std::uint64_t config) {
    return event.type == PERF_TYPE_SOFTWARE && event.config == config;
}

bool is_same(const SessionEvent& a, const SessionEvent& b) {
    return a.type == b.type && a.config == b.config && a.config1 == b.config1 && a.config2 == b.config2;
}

// Of an event without period or frequency. The kernel steers a frequency by what has gone before: where events come
// in bursts, as faults do, that would count one piece of code's for another.
void settle_mode(const events::Machine& machine, SessionEvent* event) {
    if (event->samples()) {
        return;
    }
    const bool is_kernels = event->type == PERF_TYPE_SOFTWARE || event->type == PERF_TYPE_TRACEPOINT;
    const bool is_each = is_kernels && !events::is_clock(*event);
    const bool is_frequent =
        is_software(*event, PERF_COUNT_SW_PAGE_FAULTS) || is_software(*event, PERF_COUNT_SW_PAGE_FAULTS_MIN);
    const std::uint64_t most = machine.max_sample_rate != 0 ? machine.max_sample_rate : events::kDefaultFrequency;
    event->mode = is_each ? Mode::kPeriod : Mode::kFrequency;
    event->value = is_frequent ? events::kDefaultFaultPeriod
                   : is_each   ? 1
                               : std::min(events::kDefaultFrequency, most);
}

// 0 or an errno. Sets user_only.
int try_event(const SampleSettings& settings, events::CounterOpener& opener, SessionEvent* event) {
    const auto open = [&] {
        perf_event_attr attr = asked_event(*event, Scope(), settings, true);
        const int counter = opener.open(attr, 0, -1, -1);
        if (counter >= 0) {
            opener.close(counter);
        }
        return counter >= 0 ? 0 : -counter;
    };
    int error = open();
    if ((error == EACCES || error == EPERM) && !events::counts_only_in_kernel(*event)) {
        event->user_only = true;
        error = open();
    }
    return error;
}

}  // namespace

Result<void> ask_for(std::span<const std::string> requests, const events::Machine& machine,
                     events::CounterOpener& opener, SampleSettings* settings, const events::NamePlaces& places) {
    for (const std::string& request : requests) {
        auto event = events::parse_event(request, places);
        if (!event) {
            return event.error();
        }
        if (is_software(*event, PERF_COUNT_SW_TASK_CLOCK) && !event->samples()) {
            continue;  // keeps the rate that it has
        }
        settle_mode(machine, &*event);
        if (auto rate = events::check_rate(*event, machine); !rate) {
            return rate;
        }
        if (is_software(*event, PERF_COUNT_SW_TASK_CLOCK)) {
            settings->clock_period_ns = events::clock_period_ns(*event);
            continue;
        }
        // Where no event is permitted, that is said when they are opened.
        const int error = machine.performance_events() ? try_event(*settings, opener, &*event) : 0;
        if (error != 0) {
            return events::why_refused(*event, error, machine);
        }
        if (is_software(*event, PERF_COUNT_SW_CONTEXT_SWITCHES)) {
            continue;
        }
        auto& asked = settings->asked;
        const auto known = std::find_if(asked.begin(), asked.end(),
                                        [&](const SessionEvent& other) { return is_same(other, *event); });
        if (known != asked.end()) {
            *known = *event;
            continue;
        }
        if (asked.size() >= events::kMaxEvents) {
            return Error{ErrorKind::kUsage, "more than " + std::to_string(events::kMaxEvents) + " events",
                         "record in several runs, with fewer events each"};
        }
        asked.push_back(*event);
    }
    return {};
}

}  // namespace kymo::attach
