// One thread's account for a terminal: its creator, the creation path and state, when it ran, its time and waits.
#pragma once

#include "analysis/analysis.h"
#include "base/result.h"
#include "view/text.h"

#include <cstdint>
#include <string>

namespace kymo::view {

// For the threads with this number as the report prints it; several processes, or successive threads, may have
// the same one. Error: there is none; it lists the existing ones.
Result<std::string> thread_accounts(const Style& style, const analysis::Analysis& analysis, std::uint64_t tid);

}  // namespace kymo::view
