#include "events/plan.h"

#include "events/attributes.h"
#include "events/hardware_defaults.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kymo::events {
namespace {

bool is_software(const SessionEvent& event) {
    return event.type == PERF_TYPE_SOFTWARE || event.type == PERF_TYPE_TRACEPOINT;
}

bool same_event(const SessionEvent& a, const SessionEvent& b) {
    return a.type == b.type && a.config == b.config && a.config1 == b.config1 && a.config2 == b.config2;
}

std::string quoted_name(const SessionEvent& event) {
    return event.name;
}

Error cannot_sample(const SessionEvent& event) {
    return {ErrorKind::kUnsupported,
            quoted_name(event) +
                " cannot be sampled: it happens inside the kernel, where a sampling signal would break the "
                "program's system calls",
            "count it instead: -e " + quoted_name(event)};
}

// Adds the event, or gives the listed one of the same kind its mode.
Result<void> merge(const SessionEvent& event, Session& session) {
    const auto end = session.events + session.event_count;
    auto* const listed =
        std::find_if(session.events, end, [&](const auto& other) { return same_event(other, event); });
    if (listed != end) {
        // A plain "-e task-clock" keeps the default rate.
        if (event.samples()) {
            listed->mode = event.mode;
            listed->value = event.value;
            listed->precise = event.precise;
        }
        return {};
    }
    if (session.event_count == kMaxEvents) {
        return Error{ErrorKind::kUsage, "more than " + std::to_string(kMaxEvents) + " events",
                     "record in several runs, with fewer events each"};
    }
    session.events[session.event_count++] = event;
    return {};
}

// Opens the list event by event as a thread will, and keeps the groups' leaders open until the end.
class Trial {
  public:
    Trial(const Machine& machine, CounterOpener& opener) : machine_(machine), opener_(opener) {}
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    ~Trial() {
        for (const int counter : open_) {
            opener_.close(counter);
        }
    }

    // 0 or errno. Sets user_only and group.
    int place(SessionEvent& event) {
        // Samples never come from the kernel; the clocks' counts are not affected by that.
        event.user_only = event.samples() && !is_clock(event);
        int error = place_in_group(event);
        if ((error == EACCES || error == EPERM) && !event.user_only && !counts_only_in_kernel(event)) {
            event.user_only = true;
            error = place_in_group(event);
        }
        return error;
    }

  private:
    int place_in_group(SessionEvent& event) {
        const bool software = is_software(event);
        if (software || hardware_leader_ >= 0) {
            event.group = software ? 0 : hardware_group_;
            const int error = open(event, software ? software_leader_ : hardware_leader_);
            // EINVAL: the group holds more than the processor can count at once; ENOSPC likewise.
            if (software || (error != EINVAL && error != ENOSPC) || hardware_group_ + 1U >= kMaxEvents) {
                return error;
            }
        }
        event.group = ++hardware_group_;
        const int error = open(event, -1);
        if (error != 0) {
            --hardware_group_;
        }
        return error;
    }

    int open(const SessionEvent& event, int leader) {
        perf_event_attr attr = make_attributes(event, machine_.read_lost);
        const int counter = opener_.open(attr, 0, -1, leader);
        if (counter < 0) {
            return -counter;
        }
        open_.push_back(counter);
        if (leader < 0) {
            (event.group == 0 ? software_leader_ : hardware_leader_) = counter;
        }
        return 0;
    }

    const Machine& machine_;
    CounterOpener& opener_;
    std::vector<int> open_;
    int software_leader_ = -1;
    int hardware_leader_ = -1;
    std::uint8_t hardware_group_ = 0;
};

// ns; 0: not known, or samples of timers do not come at ticks.
std::uint64_t tick_length(const Machine& machine) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    return machine.timers_at_return && machine.timer_hz != 0 ? kSecond / machine.timer_hz : 0;
}

Result<void> plan_timers(std::span<const SessionEvent> asked, const Machine& machine, Plan& plan) {
    Session& session = plan.session;
    set_timer_events(kDefaultFrequency, session);
    session.kernel_ticks = machine.timers_at_return;
    session.tick_ns = tick_length(machine);
    const Refusal refusal = why_no_performance_events(machine);
    for (const SessionEvent& event : asked) {
        const bool clock = same_event(event, session.events[0]);
        const std::span<const SessionEvent> list(session.events, session.event_count);
        const bool listed =
            std::any_of(list.begin(), list.end(), [&](const auto& other) { return same_event(other, event); });
        if (!listed || (event.samples() && !clock)) {
            return Error{ErrorKind::kPermission,
                         "event " + quoted_name(event) + ": not permitted, performance events are barred (" +
                             refusal.why + ")",
                         refusal.remedy};
        }
        if (auto merged = merge(event, session); !merged) {
            return merged;
        }
    }
    plan.missing.push_back({"performance events (hardware counters, sampled events, switch records)",
                            refusal.why + "; thread timers take their place", refusal.remedy});
    const std::uint64_t period = clock_period_ns(session.events[0]);
    if (machine.timer_hz != 0 && period < 1'000'000'000U / machine.timer_hz) {
        plan.missing.push_back({std::to_string(1'000'000'000U / period) + " samples a second",
                                "thread timers deliver at most " + std::to_string(machine.timer_hz) +
                                    " a second and thread on this kernel",
                                refusal.remedy});
    }
    return {};
}

void tell_partial(const SessionEvent& event, const Machine& machine, Plan& plan) {
    const Refusal refusal = why_no_kernel_counting(machine);
    plan.missing.push_back({quoted_name(event) + " in the kernel", refusal.why, refusal.remedy});
}

Result<void> plan_perf_events(std::span<const SessionEvent> asked, const Machine& machine, CounterOpener& opener,
                              Plan& plan) {
    Session& session = plan.session;
    set_default_events(kDefaultFrequency, session);
    session.read_lost = machine.read_lost;
    for (const SessionEvent& event : asked) {
        if (event.samples() && counts_only_in_kernel(event)) {
            return cannot_sample(event);
        }
        if (auto merged = merge(event, session); !merged) {
            return merged;
        }
    }
    Trial trial(machine, opener);
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < session.event_count; ++i) {
        SessionEvent event = session.events[i];
        if (auto rate = check_rate(event, machine); !rate) {
            return rate;
        }
        const int error = trial.place(event);
        if (error != 0) {
            const bool by_name =
                std::any_of(asked.begin(), asked.end(), [&](const auto& a) { return same_event(a, event); });
            if (by_name || i == 0 || !counts_only_in_kernel(event)) {
                return why_refused(event, error, machine);
            }
            const Refusal refusal = why_no_kernel_counting(machine);
            plan.missing.push_back({event.name, refusal.why, refusal.remedy});
            continue;
        }
        if (event.user_only && !event.samples()) {
            tell_partial(event, machine, plan);
        }
        session.events[kept++] = event;
    }
    session.event_count = kept;
    if (machine.hardware_error == 0 && std::all_of(asked.begin(), asked.end(), is_software)) {
        for (const SessionEvent& event :
             hardware_defaults(opener, machine.read_lost, kMaxEvents - session.event_count)) {
            session.events[session.event_count++] = event;
        }
    }
    session.kernel_ticks = machine.timers_at_return;
    session.tick_ns = tick_length(machine);
    // An explicitly requested rate is used, whatever it costs.
    session.tick_trigger = machine.timers_at_return && std::none_of(asked.begin(), asked.end(), is_clock);
    return {};
}

}  // namespace

Result<void> check_rate(const SessionEvent& event, const Machine& machine) {
    constexpr std::uint64_t kShortestPeriodNs = 10'000;  // the kernel's own floor for clock events
    if (is_clock(event) && event.samples() && clock_period_ns(event) < kShortestPeriodNs) {
        return Error{ErrorKind::kUsage, quoted_name(event) + ": the kernel samples a clock at most every 10000 ns",
                     "ask for " + quoted_name(event) + ":freq=100000 or less"};
    }
    const bool frequency = event.mode == Mode::kFrequency;
    if (frequency && machine.max_sample_rate != 0 && event.value > machine.max_sample_rate) {
        return Error{ErrorKind::kUnsupported,
                     quoted_name(event) + ": " + std::to_string(event.value) +
                         " samples a second are more than the " + std::to_string(machine.max_sample_rate) +
                         " this machine permits",
                     "sudo sysctl kernel.perf_event_max_sample_rate=" + std::to_string(event.value)};
    }
    return {};
}

Error why_refused(const SessionEvent& event, int error, const Machine& machine) {
    const std::string name = quoted_name(event);
    switch (error) {
        case EACCES:
        case EPERM: {
            const Refusal refusal = why_no_kernel_counting(machine);
            const bool tracepoint = event.type == PERF_TYPE_TRACEPOINT;
            return {ErrorKind::kPermission, "event " + name + ": not permitted (" + refusal.why + ")",
                    tracepoint ? "run as root, or: sudo sysctl kernel.perf_event_paranoid=-1" : refusal.remedy};
        }
        case ENOENT:
        case EOPNOTSUPP:
        case ENODEV:
        case ENXIO: {
            if (machine.hardware_error == 0) {
                return {ErrorKind::kUnsupported,
                        "event " + name +
                            (event.samples() ? " cannot be sampled on this processor"
                                             : " cannot be counted on this processor"),
                        event.samples() ? "count it instead, or ask for less precision (precise=0)"
                                        : "list this machine's events with: kymo doctor --events"};
            }
            const Refusal refusal = why_no_hardware_counters(machine);
            return {ErrorKind::kUnsupported, "event " + name + ": " + refusal.why, refusal.remedy};
        }
        case EBUSY:
            return {ErrorKind::kUnsupported, "event " + name + ": another program uses the counter",
                    "sudo sysctl kernel.nmi_watchdog=0"};
        case EMFILE:
            return {ErrorKind::kNoSpace, "event " + name + ": no file descriptor is left", "ulimit -n 65536"};
        case EINVAL:
            return {ErrorKind::kUnsupported,
                    "event " + name + ": the kernel does not accept it for a thread in this form",
                    event.samples() ? "count it instead, without period, freq and precise"
                                    : "check its terms against /sys/bus/event_source/devices/*/format"};
        default:
            return {ErrorKind::kUnsupported, "event " + name + ": " + std::strerror(error), "see perf_event_open(2)"};
    }
}

Result<Plan> plan_events(std::span<const std::string> requests, const Machine& machine, CounterOpener& opener,
                         const NamePlaces& places) {
    std::vector<SessionEvent> asked;
    for (const std::string& request : requests) {
        auto event = parse_event(request, places);
        if (!event) {
            return event.error();
        }
        asked.push_back(*event);
    }
    Plan plan;
    auto planned = machine.mechanism() == Mechanism::kPerfEvents ? plan_perf_events(asked, machine, opener, plan)
                                                                 : plan_timers(asked, machine, plan);
    if (!planned) {
        return planned.error();
    }
    return plan;
}

}  // namespace kymo::events
