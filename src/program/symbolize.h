// symbolize(): functions, inlined chains and source lines for the offsets that samples touched.
//
// Sources, in this order, offset by offset: DWARF (also separate debug files by build id or debug link, dwz, split
// units, and debuginfod if DEBUGINFOD_URLS is set), Go's own function table, ELF symbols (.symtab, .dynsym,
// .gnu_debugdata), linkage-table entries, the start of the function from call-frame information, the bare offset. A
// file that is missing, unreadable, of another architecture, or whose build id differs from the recorded one is one
// line in Symbols::warnings, and its symbols are not used. Never throws for what a file contains.
//
// Cost: the touched compilation units are walked once, only functions that contain a wanted offset are entered
// (elfutils' dwarf_getscopes would walk the unit once per offset). Images, and parts of an image with many
// offsets, are worked on in parallel, each with handles of its own: libdw's are not thread-safe.
#pragma once

#include "base/address.h"
#include "program/image_name.h"
#include "program/name_cache.h"
#include "program/symbols.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kymo::program {

struct Request {
    ImageName image;
    // Ascending, without repetition. Return addresses already have 1 subtracted.
    std::vector<ImageOffset> offsets;
};

// Makes the offsets ascending, each once.
void sort_offsets(std::vector<Request>& requests);

// What an earlier call has found and stored in the user's cache (name_cache.h) is not looked up again; the result is
// the same, unless files have been changed or removed since. Stored are the names of images that took longer than
// kWorthKeeping of processor time.
inline constexpr std::uint64_t kWorthKeeping = 10'000'000;  // ns
Symbols symbolize(std::span<const Request> requests);
Symbols symbolize(std::span<const Request> requests, const NameCache& cache,
                  std::uint64_t worth_keeping_ns = kWorthKeeping);

}  // namespace kymo::program
