// The sanitizers' run times that a program is linked with, as far as they matter for a preloaded library.
//
// AddressSanitizer's as a separate library ends the program unless it is the first of all libraries, so it has to
// be preloaded in front. ThreadSanitizer's and MemorySanitizer's, libraries or not, misjudge the accesses of a
// library that was not built for them as races and as uses of uninitialised memory, and the former delays signals,
// too. Nothing can be preloaded then. The others (leaks, undefined behaviour; AddressSanitizer's inside the
// program) are not affected.
//
// For guests: no allocation, no exceptions, 1 KiB of stack. Cost: a read for each program header, library and
// piece of 8 dynamic entries, and three look-ups in the symbols' hash table. Anything may be in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kymo::image {

enum class SanitizerKind : std::uint8_t { kNone, kMustComeFirst, kThread, kMemory };

struct Sanitizer {
    static constexpr std::size_t kLibraryBytes = 48;

    SanitizerKind kind = SanitizerKind::kNone;
    char library[kLibraryBytes] = {};  // that must come first, as the program names it
};

// Reads some of the file's bytes at an offset to `to`; returns how many, 0 if there are none.
struct FileBytes {
    std::size_t (*read)(const void* file, void* to, std::size_t bytes, std::uint64_t at);
    const void* file;
};

// Nothing can be preloaded into it.
inline bool bars_libraries(SanitizerKind kind) {
    return kind == SanitizerKind::kThread || kind == SanitizerKind::kMemory;
}

// Of a 64-bit ELF file of this machine's byte order; kNone for any other.
Sanitizer find_sanitizer(const FileBytes& file);

// A library's name or path, as in LD_PRELOAD.
bool is_sanitizer_library(std::string_view path);

}  // namespace kymo::image
