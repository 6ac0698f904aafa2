// Finds load images in our own process, and describes them.
//
// Contract: describe_* are usable in signal handlers: no locks (linked_object.h; dl_iterate_phdr dead-locks in
// handlers), no malloc, no cancellation points; errno is kept. Strings and notes are copied into the caller's
// arena, so a LoadedImage stays readable after dlclose; sections in memory do not. Cost: about 10 µs, most of it
// opening the file.
#pragma once

#include "image/arena.h"
#include "image/loaded_image.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::image {

// Where the dynamic linker (for the vDSO, the kernel) has an image.
struct ImagePlace {
    Range range;                // of a program with room between its segments: one of them
    const void* map = nullptr;  // the linker's name for it; nullptr for the vDSO where the linker leaves it out
};
// Whether an image is at a process address. Cost: tens of nanoseconds; with glibc ≥ 2.35 nothing is read of the image
// itself.
bool find_image(std::uint64_t address, ImagePlace* place);

// The image around a process address: a program, a shared object or the vDSO. False: no image there.
bool describe_image_at(std::uint64_t address, Arena& arena, LoadedImage* image);

// An image whose ELF header is mapped at `mapping.begin`; nothing outside `mapping` is read. False: no usable
// image there. `path`: that of the dynamic linker, or empty.
bool describe_mapped_image(Range mapping, std::string_view path, Arena& arena, LoadedImage* image);

// The program's own file, NUL-terminated in `buffer`; empty if not known. Usable in signal handlers.
std::string_view own_program_path(std::span<char> buffer);

// Whether the dynamic linker still has this very image (not another one) at this address. Usable in signal handlers.
bool is_still_loaded(const LoadedImage& image);

}  // namespace kymo::image
