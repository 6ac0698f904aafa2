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

// What call-frame information says of the stack at an instruction: as a call leaves it (the return address on top),
// otherwise (inside a function; also where a function's split-off part begins), or nothing.
enum class EntryFrame : std::uint8_t { kUnknown, kCalled, kOther };
EntryFrame frame_at_entry(Dwfl_Module* module, std::uint64_t offset);

}  // namespace kymo::program
