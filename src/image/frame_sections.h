// Sections with rules for unwinding that only the file's section table locates: .debug_frame (not loaded), Go's
// function table, and .eh_frame if no program header locates it.
//
// Contract: as for describe.h. The file is read with pread, never mapped: one that is truncated meanwhile gives an
// error, not SIGBUS. A file that differs from the loaded one (other headers) is not used.
#pragma once

#include "image/arena.h"
#include "image/loaded_image.h"

namespace kymo::image {

// Fills in image->debug_frame, go_table with its relocations, and eh_frame where eh_frame_header is empty. `headers`:
// the loaded image's ELF header and program headers as they are in memory, to compare the file with.
void add_frame_sections_from_file(const char* path, std::span<const std::uint8_t> headers, Arena& arena,
                                  LoadedImage* image);

}  // namespace kymo::image
