#include "spacetime/profile/lost_ranks.h"

#include <algorithm>
#include <set>
#include <utility>

namespace kymo::spacetime {
namespace {

constexpr std::size_t kFewer = 10;  // times as many whole ranks

std::string left_out(const FileData& file) {
    std::string what = file.name + ":";
    if (file.damaged_places != 0) {
        what += " " + std::to_string(file.damaged_places) + " damaged places";
    }
    if (file.missing_bytes != 0) {
        what += (file.damaged_places != 0 ? ", " : " ") + std::to_string(file.missing_bytes) +
                " bytes are missing at its end";
    }
    return what + "; rank " + std::to_string(file.rank->rank) + " is left out";
}

}  // namespace

std::vector<std::string> leave_out_damaged_ranks(std::vector<FileData>& files) {
    std::set<std::uint64_t> all;
    std::set<std::uint64_t> damaged;
    for (const FileData& file : files) {
        if (file.rank) {
            all.insert(file.rank->rank);
            if (file.is_damaged()) {
                damaged.insert(file.rank->rank);
            }
        }
    }
    std::vector<std::string> said;
    if (damaged.size() * kFewer > all.size()) {
        return said;
    }
    for (FileData& file : files) {
        if (!file.rank || !damaged.contains(file.rank->rank)) {
            continue;
        }
        if (file.is_damaged()) {
            said.push_back(left_out(file));
        }
        FileData empty;
        empty.name = std::move(file.name);
        file = std::move(empty);
    }
    return said;
}

void find_lost_ranks(Profile& profile) {
    std::uint64_t size = 0;
    std::uint64_t whole = 0;
    std::uint64_t next = 0;  // the least rank not decided yet
    const auto lose = [&](std::uint64_t until) {
        for (; next < until && profile.some_lost_ranks.size() < kMostLostRanks; ++next) {
            profile.some_lost_ranks.push_back(next);
        }
        next = std::max(next, until);
    };
    for (const ProfileRank& rank : profile.ranks) {
        size = std::max(size, rank.size);
        if (rank.processes != 0) {
            lose(rank.rank);
            ++whole;
            next = rank.rank + 1;
        }
    }
    lose(size);
    profile.lost_ranks = size > whole ? size - whole : 0;
}

}  // namespace kymo::spacetime
