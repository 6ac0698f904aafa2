// Ranks of a parallel job: their clocks and costs.
#pragma once

#include "spacetime/profile/profile.h"

#include <span>
#include <vector>

namespace kymo::spacetime {

// Puts the files of ranks on other hosts on the time line of the first (spacetime/profile/host_clocks.h).
void align_clocks(std::vector<FileData>& files);

// Fills in Profile::ranks, from the finished processes and threads.
void collect_ranks(std::span<const FileData> files, Profile& profile);

// Spread of one figure over the ranks.
struct Spread {
    std::int64_t least = 0;
    double mean = 0;
    std::int64_t most = 0;
    std::uint64_t least_rank = 0;
    std::uint64_t most_rank = 0;
};
// `column` of ProfileRank::costs. There is at least one rank; those without a process do not count, unless none has
// one.
Spread spread_over_ranks(std::span<const ProfileRank> ranks, std::size_t column);

}  // namespace kymo::spacetime
