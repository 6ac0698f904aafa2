// Threads over time: a strip of signs a thread, and figures as data (docs/report.md, docs/json.md).
#pragma once

#include "spacetime/profile/profile.h"
#include "view/text.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kymo::view {

// What a column of a strip may show. The three ways of waiting: for other threads, for the kernel or a device, for a
// clock.
enum class StripSign : std::uint8_t { kUser, kSystem, kSpinning, kReady, kThreads, kDevice, kSleep, kOff, kPaused };
inline constexpr std::size_t kStripSigns = 9;
using StripSums = std::array<std::int64_t, kStripSigns>;

// For a wait without a kind of its own: kDevice.
StripSign sign_of(const spacetime::StateInterval& interval, std::span<const spacetime::ThreadWait> waits);

// Adds `thread`'s states to columns that cut [begin, end) evenly. Precondition: begin < end, there is a column.
void add_strip(const spacetime::ProfileThread& thread, std::uint64_t begin, std::uint64_t end,
               std::span<StripSums> columns);

// One sign a column: the one with most time. Blank without a thread. In colour, or by signs alone.
std::string strip_text(const Style& style, std::span<const StripSums> columns);
// "█ user  ▓ system …" of those that occur.
std::string strip_legend(const Style& style, std::span<const StripSums> columns);

// "switch-records", "thread-end" or null.
nlohmann::ordered_json json_figures_from(spacetime::ThreadFigures from);
// A thread's waits off the processor, by kind in the kinds' order; those with no time are left out. ns.
std::vector<std::pair<recording::WaitKind, std::int64_t>> waiting_by_kind(const spacetime::ProfileThread& thread);
// A thread's `states`.
nlohmann::ordered_json json_states(const spacetime::ProfileThread& thread);

}  // namespace kymo::view
