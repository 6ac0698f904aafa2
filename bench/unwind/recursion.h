// A stack of known depth out of unlike functions without frame pointers.
#pragma once

// Calls `at_bottom(context)` below `depth` frames of its own.
void descend(int depth, void (*at_bottom)(void*), void* context);
