// Cells and pieces as columns of the page's data (format: docs/page-data.md), as many resolutions as the page may
// hold.
#pragma once

#include "view/page/blob.h"
#include "view/page/time_pass.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kymo::view {

// A resolution ready to be embedded, each by itself: the page opens only those it needs.
struct PackedLevel {
    std::uint64_t width = 0;  // ns of a bin; 0: single pieces
    std::size_t cells = 0;
    std::string deflated;
};

struct LevelLimits {
    std::size_t most_cells = 0;  // of all together
    std::size_t most_bytes = 0;  // deflated, of all together
    std::uint64_t duration = 0;  // ns
};

// Coarsest first: bins get 4 times narrower from one to the next, down to the finest that fits. Consumes `finest`.
std::vector<PackedLevel> pack_levels(CellLevel finest, const LevelLimits& limits);

PackedLevel pack_pieces(const TimePass& pass, std::size_t events);

// All of a pass: its levels and behind them its single pieces, if kept. Those take the room they need up
// to three quarters of all, and the levels the rest; pieces that need more are left out.
std::vector<PackedLevel> pack_pass(TimePass pass, const LevelLimits& limits);

// Counts in one byte: 0 … 15 exact, from there to 2^19 with 4 bits behind the leading one.
std::uint8_t rough_byte(std::uint64_t value);

}  // namespace kymo::view
