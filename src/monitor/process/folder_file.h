// A small file beside the session, read as a whole.
#pragma once

#include <cstddef>

namespace kymo::monitor {

// At most `capacity` bytes of FOLDER/NAME into `text`. False: there is none. By raw calls if the C library's are
// cancellation points. At program start.
bool read_from_folder(const char* folder, const char* name, char* text, std::size_t capacity, std::size_t* size);

}  // namespace kymo::monitor
