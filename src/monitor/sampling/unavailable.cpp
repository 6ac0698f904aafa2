#include "monitor/sampling/unavailable.h"

#include "monitor/process/log.h"

#include <atomic>
#include <cerrno>

namespace kymo::monitor {

namespace {

// The name of an errno that matters here; the parent and the report turn it into advice.
const char* reason(int error) {
    switch (error) {
        case EACCES:
        case EPERM:
            return "not permitted";
        case ENOSYS:
            return "the kernel does not offer performance events";
        case EMFILE:
        case ENFILE:
            return "the limit of open files is reached";
        case ENOENT:
        case EOPNOTSUPP:
        case ENODEV:
            return "not supported by this machine";
        case EBUSY:
            return "in use by another program";
        case ENOMEM:
            return "no memory";
        default:
            return "refused by the kernel";
    }
}

const char* remedy(int error) {
    switch (error) {
        case EACCES:
        case EPERM:
            return "sudo sysctl kernel.perf_event_paranoid=2 (in a container also: --cap-add PERFMON)";
        case EMFILE:
        case ENFILE:
            return "ulimit -n 65536";
        default:
            return "kymo doctor reports what this machine can measure";
    }
}

// Bits of `told` for what was reported, above those of the events that cannot be counted.
constexpr std::uint32_t kToldTimer = 1U << 16U;
constexpr std::uint32_t kToldNoBuffer = 1U << 17U;
constexpr std::uint32_t kToldNothing = 1U << 18U;
constexpr std::uint32_t kToldUserOnly = 1U << 19U;
constexpr std::uint32_t kToldSystemTime = 1U << 20U;

constinit std::atomic<std::uint32_t> told{0};

}  // namespace

void write_system_time_event() {
    if ((told.fetch_or(kToldSystemTime) & kToldSystemTime) == 0) {
        recording::Event system;
        system.index = process.session().event_count;
        system.name = "system-time";
        system.unit = "ns";
        process_log.write(system);
    }
}

void tell_unavailable(const CounterOutcome& outcome) {
    const events::Session& session = process.session();
    const auto tell = [](std::uint32_t bit, const char* what, const char* why, const char* help) {
        if ((told.fetch_or(bit) & bit) == 0) {
            recording::Unavailable row;
            row.what = what;
            row.why = why;
            row.remedy = help;
            process_log.write(row);
        }
    };
    if (outcome.kind == CounterKind::kThreadTimer) {
        if (adds_system_time(session)) {
            // A thread of a session for performance events that must be measured with a timer.
            write_system_time_event();
        }
        if (outcome.error != 0) {
            tell(kToldTimer, "performance events for some threads: measured by CPU-time timers",
                 reason(outcome.error), remedy(outcome.error));
        }
        for (std::size_t i = 1; i < session.event_count && !outcome.silent; ++i) {
            if (!usage_counts(session.events[i])) {
                tell(1U << i, session.events[i].name, "timers do not count it", remedy(EPERM));
            }
        }
        return;
    }
    if (outcome.kind == CounterKind::kNone) {
        tell(kToldNothing, "samples of some threads", reason(outcome.error), remedy(outcome.error));
        return;
    }
    if (outcome.no_buffer) {
        tell(kToldNoBuffer, "sample buffers for some threads: counters are read in the handler",
             "the limit of locked memory is reached", "ulimit -l unlimited");
    }
    for (std::size_t i = 1; i < session.event_count; ++i) {
        if ((outcome.missing >> i & 1U) != 0) {
            tell(1U << i, session.events[i].name,
                 outcome.error != 0 ? reason(outcome.error) : "could not be opened in some threads",
                 remedy(outcome.error));
        } else if ((outcome.user_only >> i & 1U) != 0) {
            tell(kToldUserOnly, "events in the kernel (context switches, migrations)", "not permitted",
                 "sudo sysctl kernel.perf_event_paranoid=1");
        }
    }
}

void forget_what_was_told() {
    told.store(0);
}

}  // namespace kymo::monitor
