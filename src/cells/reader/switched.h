// Telling a program which cells it is not to count, from outside (docs/cells-format.md, "Switched off").
//
// Contract: of segments of this user's programs. Two bits of the header are all that is ever written to one.
#pragma once

#include "base/result.h"
#include "cells/layout.h"

#include <bitset>
#include <filesystem>

namespace kymo::cells {

using CellBits = std::bitset<kTaskCells>;

// Those of `meant` that are in `off` are to be off, the others of `meant` on; the rest stays as it is. Returned:
// which cells the program itself says it does not count at present. kNotFound, kPermission, kMalformed.
Result<CellBits> switch_cells(const std::filesystem::path& segment, const CellBits& meant, const CellBits& off);

}  // namespace kymo::cells
