// How much memory the processes of a run had over time: for a terminal, and as data (docs/json.md).
#pragma once

#include "spacetime/memory/memory_over_time.h"
#include "spacetime/profile/profile.h"
#include "view/text.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// "xz 1234", with its rank if it has one; the name is that of its last image.
std::string memory_name(const spacetime::Profile& profile, const spacetime::ProcessMemory& process);

// One line: the first, the highest and the last. Empty if nothing is known.
std::string memory_line(const Style& style, const spacetime::Profile& profile,
                        const spacetime::MemoryOverTime& memory);

// A section: all processes together, and the `top` largest; or why nothing is known.
std::string terminal_memory(const Style& style, const spacetime::Profile& profile,
                            const spacetime::MemoryOverTime& memory, std::size_t top);

// The report's `memory`.
nlohmann::ordered_json json_memory(const spacetime::Profile& profile, const spacetime::MemoryOverTime& memory);

}  // namespace kymo::view
