// Kept pieces of code: their occurrences in time, and their events here against elsewhere. Tables for a terminal.
#pragma once

#include "view/spaces/space_sheet.h"

namespace kymo::view {

// By options.metric. Nothing if no piece has any of it.
void code_over_time(SpaceSheet& sheet);
// By processor time. Nothing if no event was counted.
void events_by_code(SpaceSheet& sheet);

}  // namespace kymo::view
