#include "import/perf/event_names.h"

#include <array>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <span>
#include <string_view>

namespace kymo::import::perf {
namespace {

// By PERF_COUNT_HW_*.
constexpr std::array<std::string_view, 10> kHardware = {
    "cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
    "branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"};

// By PERF_COUNT_SW_*.
constexpr std::array<std::string_view, 12> kSoftware = {
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};

// By PERF_COUNT_HW_CACHE_*: the cache, the access.
constexpr std::array<std::string_view, 7> kCaches = {"L1-dcache", "L1-icache", "LLC", "dTLB",
                                                     "iTLB",      "branch",    "node"};
constexpr std::array<std::string_view, 3> kAccesses = {"load", "store", "prefetch"};

std::string of(std::span<const std::string_view> names, std::uint64_t index) {
    return index < names.size() ? std::string(names[index]) : std::string();
}

std::string cache_name(std::uint64_t config) {
    const std::uint64_t cache = config & 0xff;
    const std::uint64_t access = config >> 8 & 0xff;
    const std::uint64_t result = config >> 16 & 0xff;
    if (cache >= kCaches.size() || access >= kAccesses.size() || result > PERF_COUNT_HW_CACHE_RESULT_MISS) {
        return {};
    }
    const bool miss = result == PERF_COUNT_HW_CACHE_RESULT_MISS;
    const std::string_view plural = kAccesses[access] == "prefetch" ? "es" : "s";
    return fmt::format("{}-{}{}", kCaches[cache], kAccesses[access], miss ? "-misses" : plural);
}

std::string known_name(std::uint32_t type, std::uint64_t config) {
    // On processors with several kinds of cores the upper half says of which kind.
    const std::uint64_t generic = config & 0xffff'ffff;
    switch (type) {
        case PERF_TYPE_HARDWARE:
            return of(kHardware, generic);
        case PERF_TYPE_SOFTWARE:
            return of(kSoftware, config);
        case PERF_TYPE_HW_CACHE:
            return cache_name(generic);
        case PERF_TYPE_RAW:
            return fmt::format("r{:x}", config);
        case PERF_TYPE_TRACEPOINT:
            return fmt::format("tracepoint:{}", config);
        default:
            return {};
    }
}

}  // namespace

std::string event_name(std::uint32_t type, std::uint64_t config) {
    std::string name = known_name(type, config);
    return name.empty() ? fmt::format("{}:0x{:x}", type, config) : name;
}

}  // namespace kymo::import::perf
