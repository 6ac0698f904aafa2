// Sections of terminal_collections(). Each appends its tables, or a line that says that there is nothing.
#pragma once

#include "view/spaces/space_sheet.h"

namespace kymo::view {

void whole_spaces(SpaceSheet& sheet);      // whole_spaces.cpp
void whole_gaps(SpaceSheet& sheet);        // whole_gaps.cpp
void whole_neighbours(SpaceSheet& sheet);  // whole_neighbours.cpp

}  // namespace kymo::view
