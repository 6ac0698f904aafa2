// From a description to what is put into the program: what stops it at the instrumentation points, where, and the
// errors in the description for this program.
#pragma once

#include "base/result.h"
#include "hooks/kernel/kernel_probes.h"
#include "hooks/plan/planner.h"
#include "metrics/description.h"

#include <optional>
#include <span>
#include <string>

namespace kymo::cli {

struct PointsWish {
    std::span<const std::string> command;  // the program and its arguments, or mpirun etc. before them
    std::string description;               // its file
    bool quiet = false;
};

struct Points {
    hooks::Planned planned;
    std::optional<hooks::KernelProbes> probes;  // if no monitor can be loaded: the kernel stops it
    bool gains_rights = false;                  // whether that is the reason
};

// All errors of the program (launch::find_program) and of the description (metrics::error_of).
Result<Points> plan_points(const metrics::Description& description, const PointsWish& wish);

}  // namespace kymo::cli
