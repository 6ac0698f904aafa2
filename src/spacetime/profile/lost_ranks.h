// Ranks of a parallel job of which a recording has no process, or damaged files.
#pragma once

#include "spacetime/profile/profile.h"

#include <string>
#include <vector>

namespace kymo::spacetime {

// If the files of a few ranks are damaged (up to a tenth of all that are there), these ranks are as good as not
// recorded: their files are emptied, and what is said of the others is whole. Of more ranks nothing is left out.
// Returns what is to be said, one line a file.
std::vector<std::string> leave_out_damaged_ranks(std::vector<FileData>& files);

// Fills in Profile::lost_ranks, from Profile::ranks.
void find_lost_ranks(Profile& profile);

}  // namespace kymo::spacetime
