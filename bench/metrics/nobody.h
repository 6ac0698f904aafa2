// An addition in a translation unit that finds nobody who measures.
#pragma once

void add_where_nobody_measures();
