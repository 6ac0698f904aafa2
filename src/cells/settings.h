// The launcher's settings for the cells of the measured program: the file `settings` in the folder of the segments,
// plain text, one fact a line.
//
//     kymo-cells 1                    version; always the first line
//     folder PATH                     where segments are made
//     ticks KIND SHIFT MULTIPLIER     of the processor's counter (layout.h); absent: the program measures it itself
//     rows TASKS CHANNELS
//     at-start 0|1                    0: the segment is made when the program first requests a cell
//     cell INDEX TYPE UNIT NAME DESCRIPTION…     of tasks, from a metric description; UNIT is - for none
//     shown INDEX TOTAL LEVEL         of a cell before it: its total, and the level shown beside it (SchemaEntry)
//     timer NUMBER CELL               the cell that it adds to, unless a task binds it otherwise
//
// Contract: parsing is usable in the guest (no malloc, no exceptions), bounded by the text's size, and refuses a text
// as a whole if it does not understand a part. The texts are views of it.
#pragma once

#include "cells/segment.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kymo::cells {

inline constexpr const char* kSettingsFile = "settings";
inline constexpr std::size_t kMaxSettings = 16384;

struct NumberedCell {
    std::uint32_t index = 0;
    NewCell cell;
};

struct Settings {
    std::string_view folder;
    TickRate rate;
    bool rate_known = false;
    std::uint32_t tasks = 4096;
    std::uint32_t channels = 16384;
    bool at_start = false;
    std::uint32_t cells = 0;
    NumberedCell cell[kNamedCells];
    std::uint32_t bindings[kTaskTimers] = {};
};

// False: not settings; `settings` is then unspecified.
bool parse_settings(std::string_view text, Settings& settings);

}  // namespace kymo::cells
