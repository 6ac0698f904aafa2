// Switches a program's cells off and on from outside (docs/cells-format.md, "Switched off").
//
// Contract: for segments of this user's programs. Only two bit fields of the header are ever written.
#pragma once

#include "base/result.h"
#include "cells/layout.h"

#include <bitset>
#include <filesystem>

namespace kymo::cells {

using CellBits = std::bitset<kTaskCells>;

// Of `meant`, those in `off` are switched off and the others on; the rest is unchanged. Returns the cells that the
// program reports as not counted at present. kNotFound, kPermission, kMalformed.
Result<CellBits> switch_cells(const std::filesystem::path& segment, const CellBits& meant, const CellBits& off);

}  // namespace kymo::cells
