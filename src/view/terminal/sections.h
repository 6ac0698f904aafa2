// The sections of the report for a terminal, in the order in which terminal.cpp puts them together. Each appends its
// text, with its heading, or nothing if it has nothing to show.
#pragma once

#include "view/terminal/sheet.h"

namespace kymo::view {

// overview.cpp
void header(Sheet& sheet);
void summary(Sheet& sheet);
void measured(Sheet& sheet);
void not_measured(Sheet& sheet);
// notes.cpp
void notes(Sheet& sheet);
// call_paths.cpp
void call_paths(Sheet& sheet);
// functions.cpp
void functions(Sheet& sheet);
void lines(Sheet& sheet);
// processes.cpp
void ranks(Sheet& sheet);
void programs(Sheet& sheet);
void processes(Sheet& sheet);
// threads.cpp
void threads(Sheet& sheet);
// states.cpp
void threads_over_time(Sheet& sheet);
void off_the_processor(Sheet& sheet);
// events.cpp
void events(Sheet& sheet);

}  // namespace kymo::view
