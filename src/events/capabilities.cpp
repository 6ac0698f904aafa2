#include "events/capabilities.h"

#include "events/hardware_defaults.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace kymo::events {
namespace {

constexpr std::uint64_t kManyThreads = 1000;
constexpr std::uint64_t kRingKib = 128 + 4;  // one of the parent's rings

Capability samples(const Machine& machine) {
    Capability row{"samples", "samples of running code", Level::kYes, "", ""};
    if (machine.performance_events()) {
        row.detail = machine.max_sample_rate != 0
                         ? fmt::format("performance events, up to {} a second and thread", machine.max_sample_rate)
                         : "performance events";
        return row;
    }
    const Refusal refusal = why_no_performance_events(machine);
    row.level = Level::kPartly;
    row.detail = refusal.why + "; thread timers take their place, up to " + std::to_string(machine.timer_hz) +
                 " samples a second and thread";
    row.remedy = refusal.remedy;
    return row;
}

Capability simple(const char* key, const char* title, bool good, const std::string& detail, const Refusal& refusal) {
    Capability row{key, title, good ? Level::kYes : Level::kNo, good ? detail : refusal.why, ""};
    if (!good) {
        row.remedy = refusal.remedy;
    }
    return row;
}

Capability kernel_counting(const Machine& machine) {
    const bool good = machine.performance_events() && machine.kernel_counting;
    Capability row = simple("kernel-counting", "page faults, switches, migrations counted in the kernel too", good,
                            "counters may include the kernel", why_no_kernel_counting(machine));
    if (!good && machine.performance_events()) {
        row.level = Level::kPartly;
        row.detail += "; page faults of user mode only, switches from the switch records";
    }
    return row;
}

Capability switch_records(const Machine& machine) {
    Capability row =
        simple("switch-records", "when threads were off the processor, and the process tree", machine.switch_records,
               fmt::format("exact, per-processor records on {} processors", machine.processors),
               why_no_switch_records(machine));
    if (!machine.switch_records) {
        row.level = Level::kPartly;
        row.detail += "; off-CPU time is still exact by subtraction, only its moments are missing";
    }
    return row;
}

Capability tracepoints(const Machine& machine) {
    const bool good = machine.tracepoints && machine.kernel_counting;
    Refusal refusal{"tracefs is not mounted or not readable",
                    "run as root, after: sudo mount -t tracefs nodev /sys/kernel/tracing"};
    if (machine.tracepoints) {
        refusal = why_no_kernel_counting(machine);
        refusal.remedy = "run as root, or: sudo sysctl kernel.perf_event_paranoid=-1";
    }
    return simple("tracepoints", "tracepoints (counted)", good, "readable", refusal);
}

Capability ebpf(const Machine& machine) {
    const bool denied = machine.ebpf_error == EPERM || machine.ebpf_error == EACCES;
    const Refusal refusal{
        denied ? "not permitted to load eBPF programs"
               : std::string("loading an eBPF program failed: ") + std::strerror(machine.ebpf_error),
        machine.container || machine.seccomp ? "start the container with --cap-add BPF --cap-add PERFMON"
                                             : "run as root"};
    return simple("ebpf", "eBPF programs on events", machine.ebpf, "programs can be loaded", refusal);
}

Capability buffers(const Machine& machine) {
    Capability row{"buffers", "sample buffers for many threads", Level::kYes, "no limit for this user", ""};
    if (!machine.performance_events()) {
        row.detail = "not needed: thread timers have none";
        return row;
    }
    const std::uint64_t threads = threads_with_buffers(machine);
    if (threads == 0) {
        return row;
    }
    row.detail = fmt::format("for about {} threads of this user at once", threads);
    if (threads < kManyThreads) {
        row.level = Level::kPartly;
        row.detail += "; further threads are read in the handler, which is slower";
        row.remedy = fmt::format("ulimit -l unlimited, or: sudo sysctl kernel.perf_event_mlock_kb={}",
                                 kManyThreads * 8 / std::max(1U, machine.processors) + kRingKib);
    }
    return row;
}

Capability descriptors(const Machine& machine) {
    const std::uint64_t events = 4 + (machine.hardware_error == 0 ? kMostHardwareDefaults : 0);
    const std::uint64_t threads = machine.descriptors / events;
    Capability row{"descriptors", "file descriptors for many threads", Level::kYes, "", ""};
    row.detail = fmt::format("{} descriptors, enough for about {} threads with {} events", machine.descriptors,
                             threads, events);
    if (threads < kManyThreads) {
        row.level = Level::kPartly;
        const std::uint64_t wanted = std::min<std::uint64_t>(65536, machine.descriptors_hard);
        row.remedy =
            wanted > machine.descriptors
                ? fmt::format("ulimit -n {}", wanted)
                : "raise the hard limit: nofile in /etc/security/limits.conf, or docker run --ulimit nofile=65536";
    }
    return row;
}

}  // namespace

std::uint64_t threads_with_buffers(const Machine& machine) {
    if (machine.root || machine.locked_bytes == UINT64_MAX || machine.buffer_kib == 0) {
        return 0;
    }
    const std::uint64_t rings = machine.switch_records ? machine.processors * kRingKib : 0;
    const std::uint64_t kib = machine.buffer_kib * machine.processors + machine.locked_bytes / 1024;
    const auto page_kib = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
    return kib > rings ? std::max<std::uint64_t>(1, (kib - rings) / (2 * page_kib)) : 1;
}

std::vector<Capability> capabilities(const Machine& machine) {
    return {
        samples(machine),
        kernel_counting(machine),
        switch_records(machine),
        simple("hardware-counters", "hardware counters (cycles, cache misses, …)", machine.hardware_error == 0,
               "the processor's own counters", why_no_hardware_counters(machine)),
        tracepoints(machine),
        ebpf(machine),
        buffers(machine),
        descriptors(machine),
    };
}

}  // namespace kymo::events
