// From the sums of a pass over the samples to the account.
#pragma once

#include "spacetime/evidence/account.h"
#include "spacetime/evidence/account/account_sums.h"
#include "spacetime/evidence/account/function_times.h"
#include "spacetime/evidence/account/paths.h"
#include "spacetime/evidence/occurrences/occurrence_table.h"

#include <span>
#include <vector>

namespace kymo::spacetime {

// `entries`: of all threads with samples, merged (merge_entries). Threads without samples are added here, by their
// states. `sums`: parallel to `targets`. `functions`: likewise merged (merge_times). Pure; linear in entries.
Account make_account(const Profile& profile, const PathEnds& paths, const program::Symbols& symbols,
                     std::span<const WaitTarget> targets, std::span<const WaitSum> sums,
                     std::span<const AccountEntry> entries, std::span<const FunctionTimes> functions);

}  // namespace kymo::spacetime
