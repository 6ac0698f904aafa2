// `kymo record --for REC.kymo --exact`: hooks of the functions that contain the earlier recording's kept pieces of
// code, so that every call of them is seen.
#pragma once

#include "cli/second_look.h"

#include <memory>

namespace kymo::cli {

// The plan of hooks, made in the run's preparation, and rows with the chosen functions. Unless `quiet`,
// it prints on standard error what cannot be hooked. Errors then: nothing was kept; none of it can be hooked.
std::unique_ptr<launch::CompanionFile> exact_plan(std::shared_ptr<EarlierRun> earlier, bool quiet);

}  // namespace kymo::cli
