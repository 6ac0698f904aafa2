// `kymo record --for REC.kymo --exact`: hooks of the functions that the earlier recording's kept pieces of code lie
// in, so that every call of them is seen.
#pragma once

#include "cli/second_look.h"

#include <memory>

namespace kymo::cli {

// The plan of hooks, made in the run's preparation, and rows that say which functions were chosen. Unless `quiet`,
// it prints on standard error what cannot be hooked. Errors then: nothing was kept; none of it can be hooked.
std::unique_ptr<launch::CompanionFile> exact_plan(std::shared_ptr<EarlierRun> earlier, bool quiet);

}  // namespace kymo::cli
