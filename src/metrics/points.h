// From a description to what is put into the program: what stops it at the instrumentation points, where, and the
// errors in the description for this program.
#pragma once

#include "base/result.h"
#include "hooks/kernel/kernel_probes.h"
#include "hooks/plan/planner.h"
#include "metrics/description.h"

#include <functional>
#include <optional>
#include <span>
#include <string>

namespace kymo::metrics {

struct PointsWish {
    std::span<const std::string> command;  // the program and its arguments, or mpirun etc. before them
    std::string description;               // its file
    // Takes lines for the user, as they become known: what is left out, what is measured instead. Empty: quiet.
    std::function<void(const std::string&)> note;
    // Calls its argument: it may show meanwhile that the kernel's probes are tried out, which takes seconds.
    std::function<void(const std::function<void()>&)> while_trying = [](const auto& try_out) { try_out(); };
};

struct Points {
    hooks::Planned planned;
    std::optional<hooks::KernelProbes> probes;  // if no monitor can be loaded: the kernel stops it
    bool gains_rights = false;                  // whether that is the reason
};

// Cost: a pass over the symbols of the program and of its libraries. All errors of the program (launch::find_program)
// and of the description (error_of).
Result<Points> plan_points(const Description& description, const PointsWish& wish);

}  // namespace kymo::metrics
