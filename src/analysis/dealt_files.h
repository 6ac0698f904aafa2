// Which process of a team reads which file of a recording.
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "team/team.h"

#include <cstdint>
#include <vector>

namespace kymo::analysis {

struct DealtFiles {
    team::Team* team = nullptr;        // null: this process reads all
    std::vector<std::uint32_t> owner;  // by file of the recording: the process; without a team empty

    bool is_own(std::size_t file) const { return team == nullptr || owner[file] == team->rank(); }
};

// By size, as the first process sees it. Error: the others see other files.
Result<DealtFiles> deal_files(const recording::Recording& recording, team::Team* team);

}  // namespace kymo::analysis
