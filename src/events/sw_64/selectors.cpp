#include "events/sw_64/selectors.h"

#include "events/sw_64/register_file.h"

#include <algorithm>
#include <iterator>

namespace kymo::events::sw_64 {
namespace {

struct Row {
    std::uint32_t type;
    std::uint8_t selector;
    std::uint64_t config;
};

constexpr std::uint64_t cache(std::uint64_t which, std::uint64_t operation, std::uint64_t result) {
    return which | operation << 8U | result << 16U;
}

constexpr std::uint64_t kAccess = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
constexpr std::uint64_t kMiss = PERF_COUNT_HW_CACHE_RESULT_MISS;
constexpr std::uint64_t kLoad = PERF_COUNT_HW_CACHE_OP_READ;
constexpr std::uint64_t kStore = PERF_COUNT_HW_CACHE_OP_WRITE;

// The caches' events do not distinguish loads from stores.
constexpr Row kRows[] = {
    {PERF_TYPE_HARDWARE, 0x03, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, 0x04, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, 0x05, PERF_COUNT_HW_BRANCH_MISSES},
    {PERF_TYPE_HARDWARE, 0x30, PERF_COUNT_HW_CPU_CYCLES},
    {PERF_TYPE_HARDWARE, 0x50, PERF_COUNT_HW_CACHE_REFERENCES},
    {PERF_TYPE_HARDWARE, 0x53, PERF_COUNT_HW_CACHE_MISSES},
    {PERF_TYPE_HW_CACHE, 0x06, cache(PERF_COUNT_HW_CACHE_L1I, kLoad, kAccess)},
    {PERF_TYPE_HW_CACHE, 0x07, cache(PERF_COUNT_HW_CACHE_L1I, kLoad, kMiss)},
    {PERF_TYPE_HW_CACHE, 0x06, cache(PERF_COUNT_HW_CACHE_L1I, kStore, kAccess)},
    {PERF_TYPE_HW_CACHE, 0x07, cache(PERF_COUNT_HW_CACHE_L1I, kStore, kMiss)},
    {PERF_TYPE_HW_CACHE, 0x31, cache(PERF_COUNT_HW_CACHE_DTLB, kLoad, kAccess)},
    {PERF_TYPE_HW_CACHE, 0x32, cache(PERF_COUNT_HW_CACHE_DTLB, kLoad, kMiss)},
    {PERF_TYPE_HW_CACHE, 0x31, cache(PERF_COUNT_HW_CACHE_DTLB, kStore, kAccess)},
    {PERF_TYPE_HW_CACHE, 0x32, cache(PERF_COUNT_HW_CACHE_DTLB, kStore, kMiss)},
    {PERF_TYPE_HW_CACHE, 0x3d, cache(PERF_COUNT_HW_CACHE_L1D, kLoad, kAccess)},
    {PERF_TYPE_HW_CACHE, 0x3e, cache(PERF_COUNT_HW_CACHE_L1D, kLoad, kMiss)},
    {PERF_TYPE_HW_CACHE, 0x3d, cache(PERF_COUNT_HW_CACHE_L1D, kStore, kAccess)},
    {PERF_TYPE_HW_CACHE, 0x3e, cache(PERF_COUNT_HW_CACHE_L1D, kStore, kMiss)},
};

}  // namespace

std::optional<Selection> select(std::uint32_t type, std::uint64_t config) {
    if (type == PERF_TYPE_RAW) {
        const std::uint64_t set = config >> 8U;
        const std::uint64_t selector = config & kSelector;
        if (set >= kSets || selector > kLastSelector) {
            return std::nullopt;
        }
        return Selection{static_cast<std::uint8_t>(selector), static_cast<unsigned>(set)};
    }
    const auto* const row = std::find_if(std::begin(kRows), std::end(kRows),
                                         [&](const Row& each) { return each.type == type && each.config == config; });
    return row == std::end(kRows) ? std::nullopt : std::optional(Selection{row->selector});
}

}  // namespace kymo::events::sw_64
