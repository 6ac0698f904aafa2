// Cache lines that several threads use at the same time, and at least one changes: each change takes the line away
// from the other processors.
#pragma once

#include "spacetime/evidence/operands/operand_sums.h"
#include "spacetime/evidence/operands/shared_line.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <map>
#include <vector>

namespace kymo::spacetime {

struct SharedLines {
    std::vector<SharedLine> falsely;  // most samples first
    // By index of OperandUses::uses: rows of operands in a line that other threads use at other bytes only.
    std::vector<std::uint32_t> false_rows;
};

// A line is shared falsely between two threads of a process where each used it twice or more, while the other did,
// one of them changed it, and they used no byte in common. It is not where a third one has bytes in common with
// either. Of a line's threads the first 256 are compared. Cost: sorts `memory`.
SharedLines find_shared_lines(const Profile& profile, std::size_t uses, std::vector<MemoryUse> memory);

}  // namespace kymo::spacetime
