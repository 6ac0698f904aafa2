// Which line of the PTX each machine instruction comes from: a cubin's section `.nv_debug_line_sass`, which ptxas
// -lineinfo writes, a DWARF 2 line table whose addresses are relocated against the code's sections.
//
// Contract: the bytes may be anything; reading is bounded by them. Errors: kMalformed.
#pragma once

#include "base/result.h"
#include "image/elf.h"

#include <map>
#include <string>
#include <vector>

namespace kymo::gpu::sass {

struct LineRow {
    std::uint64_t pc = 0;  // from here to the next row's
    std::uint32_t line = 0;
};

// By the code's section, rows in the order of their addresses; empty where the cubin has no such table.
using LineRows = std::map<std::size_t, std::vector<LineRow>>;

Result<LineRows> line_rows(const image::ElfFile& cubin, const std::string& name);

}  // namespace kymo::gpu::sass
