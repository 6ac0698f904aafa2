#include "attach/sample_events.h"

#include "attach/native.h"
#include "base/descriptor.h"
#include "events/attributes.h"
#include "events/probe.h"
#include "events/tracepoints.h"
#include "import/kernel_code.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::attach {
namespace {

namespace perf = import::perf;

// Of every record: which event's it is, whose, when and where.
constexpr std::uint64_t kOrigin = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

constexpr std::uint64_t kReadLost = std::uint64_t{1} << 4U;  // PERF_FORMAT_LOST, of Linux 6.0

// Whether the kernel counts what an event's ring had no room for.
bool counts_lost() {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    attr.read_format = kReadLost;
    return Descriptor(static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)))
        .operator bool();
}

perf_event_attr software_event(std::uint64_t config, const Scope& scope, const SampleSettings& settings,
                               bool with_kernel) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = config;
    attr.sample_type = kOrigin;
    attr.sample_id_all = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    attr.disabled = 1;
    attr.exclude_hv = 1;
    attr.exclude_kernel = with_kernel ? 0 : 1;
    attr.inherit = scope.is_tree() ? 1 : 0;
    attr.enable_on_exec = settings.on_exec ? 1 : 0;
    static const bool has_lost = counts_lost();
    attr.read_format = has_lost ? kReadLost : 0;
    return attr;
}

perf_event_attr sampled_event(std::uint64_t config, std::uint64_t period, const Scope& scope,
                              const SampleSettings& settings, bool with_kernel) {
    perf_event_attr attr = software_event(config, scope, settings, with_kernel);
    attr.sample_period = period;
    attr.sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr.sample_regs_user = native::kRegisterMask;
    attr.sample_stack_user = settings.stack_bytes;
    attr.exclude_callchain_kernel = with_kernel && import::shows_kernel_addresses() ? 0 : 1;
    return attr;
}

}  // namespace

Result<std::uint64_t> waking_tracepoint() {
    constexpr std::uint64_t kInitialPids = 0xefff'fffc;  // PROC_PID_INIT_INO
    struct stat own{};
    if (stat("/proc/self/ns/pid", &own) != 0 || own.st_ino != kInitialPids) {
        return Error{ErrorKind::kUnsupported, "Kymo runs in a pid namespace, where threads have other numbers",
                     "run Kymo outside of the container"};
    }
    const auto event = events::tracepoint_event("sched:sched_waking");
    if (!event) {
        return event.error();
    }
    return event->config;
}

perf_event_attr lasting_event(const Scope& scope, const SampleSettings& settings, bool with_kernel,
                              std::optional<std::uint64_t> waking) {
    perf_event_attr attr = software_event(PERF_COUNT_SW_DUMMY, scope, settings, with_kernel);
    if (waking) {
        attr.type = PERF_TYPE_TRACEPOINT;
        attr.config = *waking;
        attr.sample_period = 1;
        attr.sample_type |= PERF_SAMPLE_RAW;
    }
    attr.mmap = 1;
    attr.mmap2 = 1;
    attr.comm = 1;
    attr.comm_exec = 1;
    attr.task = 1;
    attr.context_switch = 1;
    return attr;
}

std::vector<perf_event_attr> sampling_events(const Scope& scope, const SampleSettings& settings, bool with_kernel) {
    // Of a whole processor its own clock counts: a task's would run while none does.
    const std::uint64_t clock = scope.is_tree() ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_CPU_CLOCK;
    std::vector<perf_event_attr> events = {
        sampled_event(clock, settings.clock_period_ns, scope, settings, with_kernel)};
    if (with_kernel) {
        events.push_back(sampled_event(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, scope, settings, with_kernel));
    }
    return events;
}

perf_event_attr asked_event(const events::SessionEvent& event, const Scope& scope, const SampleSettings& settings,
                            bool with_kernel) {
    const bool is_steered = event.mode == events::Mode::kFrequency && !events::is_clock(event);
    const std::uint64_t period = events::is_clock(event) ? events::clock_period_ns(event) : event.value;
    perf_event_attr attr = sampled_event(event.config, period, scope, settings, with_kernel && !event.user_only);
    attr.type = event.type;
    attr.config1 = event.config1;
    attr.config2 = event.config2;
    attr.precise_ip = event.precise & 3U;
    if (is_steered) {
        // The kernel changes the period from sample to sample: each says what it stands for. With a fixed period that
        // field would make it take a sample of every software event.
        attr.freq = 1;
        attr.sample_type |= PERF_SAMPLE_PERIOD;
    }
    return attr;
}

perf::Attribute described(const perf_event_attr& attr, const char* name) {
    perf::Attribute made;
    made.name = name;
    made.type = attr.type;
    made.config = attr.config;
    made.sample_type = attr.sample_type;
    made.is_frequency = attr.freq != 0;
    (made.is_frequency ? made.frequency : made.period) = attr.sample_period;
    made.precise = static_cast<std::uint8_t>(attr.precise_ip);
    made.exclude_kernel = attr.exclude_kernel != 0;
    made.exclude_hypervisor = true;
    made.inherit = attr.inherit != 0;
    made.sample_id_all = true;
    made.context_switch = true;  // the lasting event's
    made.use_clockid = true;
    made.clockid = attr.clockid;
    made.sample_regs_user = attr.sample_regs_user;
    made.sample_stack_user = attr.sample_stack_user;
    return made;
}

std::uint64_t lost_by(int descriptor, const perf_event_attr& attr) {
    struct {
        std::uint64_t value;
        std::uint64_t lost;
    } counts{};
    const bool is_counted = (attr.read_format & kReadLost) != 0;
    return is_counted && read(descriptor, &counts, sizeof counts) == sizeof counts ? counts.lost : 0;
}

Error refusal(int error, std::size_t asked) {
    switch (error) {
        case ESRCH:
            return {ErrorKind::kNotFound, "the process has ended", "name one that is running: ps -e"};
        case EMFILE:
        case ENFILE:
            return {ErrorKind::kNoSpace,
                    "too many open files: " + std::string(asked == 0 ? "three" : std::to_string(3 + asked)) +
                        " are needed for each thread and processor",
                    "raise the limit: ulimit -n 100000"};
        case ENOMEM:
            return {ErrorKind::kNoSpace, "no memory for the kernel's events", "attach to fewer threads"};
        case EPERM:
        case EACCES: {
            const events::Machine machine = events::probe();
            const events::Refusal why = machine.performance_events() ? events::why_no_kernel_counting(machine)
                                                                     : events::why_no_performance_events(machine);
            return {ErrorKind::kPermission, "the kernel does not let this user measure that from outside: " + why.why,
                    "for a process of another user, or the whole machine, run as root; " + why.remedy};
        }
        case EBADF:
            return {ErrorKind::kNotFound, "that directory is no control group whose processes the kernel can sample",
                    "name one of cgroup2, or of the perf_event hierarchy of version 1: mount -t cgroup,cgroup2"};
        default:
            return {ErrorKind::kUnsupported,
                    std::string("the kernel refuses to sample from outside: ") + std::strerror(error),
                    "see kymo doctor"};
    }
}

}  // namespace kymo::attach
