// Memory that sampled instructions used: for a terminal, and as data (docs/json.md).
#pragma once

#include "spacetime/accesses/accesses.h"
#include "spacetime/evidence/operands/shared_line.h"
#include "spacetime/profile/profile.h"
#include "view/text.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace kymo::view {

// A section with `top` rows of each table; empty: no sample has an access. `falsely`: the shared lines of the
// evidence.
std::string terminal_accesses(const Style& style, const spacetime::Profile& profile,
                              const spacetime::MemoryAccesses& accesses,
                              std::span<const spacetime::SharedLine> falsely, std::size_t top);

// The report's `memory_accesses`.
nlohmann::ordered_json json_accesses(const spacetime::Profile& profile, const spacetime::MemoryAccesses& accesses,
                                     std::span<const spacetime::SharedLine> falsely);

}  // namespace kymo::view
