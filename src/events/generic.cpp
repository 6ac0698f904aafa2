#include "events/generic.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <linux/perf_event.h>

namespace kymo::events {
namespace {

struct Named {
    const char* name;
    const char* alias;
    std::uint32_t type;
    std::uint64_t config;
};

constexpr Named kSoftware[] = {
    {"task-clock", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"cpu-clock", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"alignment-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    {"bpf-output", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT},
    {"cgroup-switches", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES},
};

constexpr Named kHardware[] = {
    {"cycles", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branch-instructions", "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"ref-cycles", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
};

// Generic cache events are CACHE-OPERATION (accesses) and CACHE-OPERATION-misses, as in L1-dcache-load-misses.
struct Part {
    const char* name;
    std::uint64_t code;
};
constexpr Part kCaches[] = {
    {"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, {"L1-icache", PERF_COUNT_HW_CACHE_L1I},
    {"LLC", PERF_COUNT_HW_CACHE_LL},        {"dTLB", PERF_COUNT_HW_CACHE_DTLB},
    {"iTLB", PERF_COUNT_HW_CACHE_ITLB},     {"branch", PERF_COUNT_HW_CACHE_BPU},
    {"node", PERF_COUNT_HW_CACHE_NODE},
};
constexpr Part kOperations[] = {
    {"load", PERF_COUNT_HW_CACHE_OP_READ},
    {"store", PERF_COUNT_HW_CACHE_OP_WRITE},
    {"prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH},
};

SessionEvent make(std::string_view name, std::uint32_t type, std::uint64_t config) {
    SessionEvent event;
    set_name(event, name);
    event.type = type;
    event.config = config;
    event.nanoseconds =
        type == PERF_TYPE_SOFTWARE && (config == PERF_COUNT_SW_TASK_CLOCK || config == PERF_COUNT_SW_CPU_CLOCK);
    return event;
}

template <typename Use>
void each_cache_event(Use&& use) {
    for (const Part& cache : kCaches) {
        for (const Part& operation : kOperations) {
            const std::string stem = std::string(cache.name) + "-" + operation.name;
            const std::uint64_t config = cache.code | operation.code << 8U;
            use(stem + (operation.code == PERF_COUNT_HW_CACHE_OP_PREFETCH ? "es" : "s"),
                config | std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_ACCESS} << 16U);
            use(stem + "-misses", config | std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_MISS} << 16U);
        }
    }
}

}  // namespace

void set_name(SessionEvent& event, std::string_view name) {
    const std::size_t size = std::min(name.size(), sizeof event.name - 1);
    std::memcpy(event.name, name.data(), size);
    event.name[size] = '\0';
}

std::optional<SessionEvent> generic_event(std::string_view name) {
    const auto matches = [name](const Named& entry) {
        return name == entry.name || (entry.alias[0] != '\0' && name == entry.alias);
    };
    if (const auto* found = std::find_if(std::begin(kSoftware), std::end(kSoftware), matches);
        found != std::end(kSoftware)) {
        return make(found->name, found->type, found->config);
    }
    if (const auto* found = std::find_if(std::begin(kHardware), std::end(kHardware), matches);
        found != std::end(kHardware)) {
        return make(found->name, found->type, found->config);
    }
    std::optional<SessionEvent> event;
    each_cache_event([&](const std::string& known, std::uint64_t config) {
        if (name == known) {
            event = make(known, PERF_TYPE_HW_CACHE, config);
        }
    });
    return event;
}

std::optional<SessionEvent> raw_event(std::string_view name) {
    if (name.size() < 2 || name.size() > 17 || name[0] != 'r') {
        return std::nullopt;
    }
    std::uint64_t code = 0;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), code, 16);
    if (error != std::errc{} || end != name.data() + name.size()) {
        return std::nullopt;
    }
    return make(name, PERF_TYPE_RAW, code);
}

std::vector<std::string> software_event_names() {
    std::vector<std::string> names;
    for (const Named& entry : kSoftware) {
        names.emplace_back(entry.name);
    }
    return names;
}

std::vector<std::string> hardware_event_names() {
    std::vector<std::string> names;
    for (const Named& entry : kHardware) {
        names.emplace_back(entry.name);
    }
    each_cache_event([&](const std::string& name, std::uint64_t) { names.push_back(name); });
    return names;
}

}  // namespace kymo::events
