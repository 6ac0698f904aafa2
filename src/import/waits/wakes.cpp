#include "import/waits/wakes.h"

#include <algorithm>
#include <cstring>

namespace kymo::import {
namespace {

// struct trace_entry (linux/trace_events.h), then the event's own fields (trace/events/sched.h).
constexpr std::size_t kFlagsAt = 2;
constexpr std::size_t kNameAt = 8;
constexpr std::size_t kNameBytes = 16;
constexpr std::size_t kThreadAt = kNameAt + kNameBytes;
constexpr std::uint8_t kInInterrupt = 0x08 | 0x10 | 0x40;  // TRACE_FLAG_HARDIRQ, _SOFTIRQ, _NMI
constexpr std::uint32_t kMostThreads = std::uint32_t{1} << 22U;

// Where fields lie elsewhere there is no name here.
bool is_name(std::span<const std::uint8_t> bytes) {
    const auto end = std::find(bytes.begin(), bytes.end(), std::uint8_t{0});
    return end != bytes.begin() && end != bytes.end() &&
           std::all_of(bytes.begin(), end, [](std::uint8_t byte) { return byte >= ' '; });
}

}  // namespace

std::optional<Wake> read_wake(const perf::Sample& sample) {
    Wake wake;
    const std::span<const std::uint8_t> raw = sample.raw;
    if (raw.size() < kThreadAt + sizeof wake.thread || !is_name(raw.subspan(kNameAt, kNameBytes))) {
        return std::nullopt;
    }
    std::memcpy(&wake.thread, raw.data() + kThreadAt, sizeof wake.thread);
    if (wake.thread == 0 || wake.thread > kMostThreads) {
        return std::nullopt;
    }
    const bool is_by_thread = (raw[kFlagsAt] & kInInterrupt) == 0 && sample.tid != perf::kNotGiven;
    wake.by = is_by_thread ? sample.tid : 0;
    return wake;
}

}  // namespace kymo::import
