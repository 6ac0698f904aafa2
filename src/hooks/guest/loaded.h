// The images that the dynamic linker has loaded, from its own list.
//
// Contract: called while the list does not change: before main with one thread, or in the dynamic linker's own
// call to the debugger's function. No locks, no malloc.
#pragma once

#include "image/arena.h"
#include "image/loaded_image.h"

#include <cstdint>
#include <link.h>

namespace kymo::hooks {

// The first of the list.
const link_map* first_loaded();
// Whether the list is consistent (not in the middle of a change).
bool loaded_is_consistent();
// The function that the dynamic linker calls for debuggers; 0: unknown.
std::uint64_t debugger_function();

// Describes the list's entry: its address range, name, build id. False: not a readable image.
bool describe_loaded(const link_map& map, image::Arena& arena, image::LoadedImage* image);

// Segments that the dynamic linker has made read-only after relocation.
image::Range relocated_read_only(const image::LoadedImage& image);

}  // namespace kymo::hooks
