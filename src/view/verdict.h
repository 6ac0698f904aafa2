// A run in a sentence: its main defect, and whether its recording can be relied on.
#pragma once

#include "findings/finding.h"
#include "spacetime/evidence/account.h"
#include "spacetime/profile/profile.h"
#include "view/text.h"

#include <string>
#include <vector>

namespace kymo::view {

// "load-imbalance takes 54.9 % of the run, in `triangle` (omp.c:5–6)": the first finding about the program, with its
// share, which is no bound of what the run gains without it.
// Without any it says where most of the time goes.
std::string verdict(const findings::Judgement& judgement, const spacetime::Account& account);

// What makes the whole report doubtful, of the recording (summary.h) and of the machine that it was made on.
std::vector<std::string> alarms(const spacetime::Profile& profile, const findings::Judgement& judgement);

}  // namespace kymo::view
