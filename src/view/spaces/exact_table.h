// Exact occurrences (`kymo record --for REC.kymo --exact`): every call of the functions chosen, and the slowest ones.
// As data the keys are those of docs/json.md.
#pragma once

#include "spacetime/exact/exact_calls.h"
#include "view/report_options.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kymo::view {

// Empty for a recording without them. `begin`: of the run, on the recording's clock.
std::string terminal_exact(const ReportOptions& options, const spacetime::ExactCalls& exact, std::uint64_t begin,
                           std::string_view filter = {});

nlohmann::ordered_json json_exact(const spacetime::ExactCalls& exact, std::uint64_t begin);

}  // namespace kymo::view
