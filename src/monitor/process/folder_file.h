// A small file beside the session, read as a whole.
#pragma once

#include <cstddef>

namespace kymo::monitor {

// FOLDER/NAME, opened; −1: not possible. At program start.
int open_in_folder(const char* folder, const char* name, int flags);

// At most `capacity` bytes of FOLDER/NAME into `text`. False: there is none. By raw calls if the C library's are
// cancellation points. At program start.
bool read_from_folder(const char* folder, const char* name, char* text, std::size_t capacity, std::size_t* size);

}  // namespace kymo::monitor
