// Where functions start, from .eh_frame_hdr's search table: known even in a stripped library.
#pragma once

#include <cstdint>
#include <elfutils/libdwfl.h>
#include <span>
#include <vector>

namespace kymo::program {

// Ascending image offsets; empty where there is no such table. Cost: one pass over it, 8 bytes a function.
std::vector<std::uint64_t> frame_starts(Dwfl_Module* module);

// The same from the section's bytes, `address` being the image offset of the first. Never reads outside
// `bytes`. Only the encoding that linkers write is read (Linux Standard Base 5.0, core, 10.6.2: table of
// signed 4-byte values relative to the section).
std::vector<std::uint64_t> parse_frame_starts(std::span<const std::uint8_t> bytes, std::uint64_t address);

}  // namespace kymo::program
