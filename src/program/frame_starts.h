// Where functions start, from .eh_frame_hdr's search table: known even in a stripped library.
#pragma once

#include <cstdint>
#include <elfutils/libdwfl.h>
#include <span>
#include <vector>

namespace kymo::program {

// Ascending image offsets; empty if there is no such table. Cost: one pass over it, 8 bytes a function.
std::vector<std::uint64_t> frame_starts(Dwfl_Module* module);

// The same from the section's bytes, `address` being the image offset of the first. Never reads outside
// `bytes`. Only the encoding that linkers write is read (Linux Standard Base 5.0, core, 10.6.2: table of
// signed 4-byte values relative to the section).
std::vector<std::uint64_t> parse_frame_starts(std::span<const std::uint8_t> bytes, std::uint64_t address);

// Their ends as well: descriptions need not be complete, and between two functions there may be megabytes of code
// without any (Chromium). If an end is not known, the next one's start is used.
struct FrameExtent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};
std::vector<FrameExtent> frame_extents(Dwfl_Module* module);

// How many bytes of code the description at `at` of .eh_frame's bytes is about; 0: not known. Never reads outside.
std::uint64_t described_length(std::span<const std::uint8_t> frames, std::uint64_t at);

// The stack at an instruction by call-frame information: as a call leaves it (the return address on top),
// otherwise (inside a function; also where a function's split-off part begins), or nothing.
enum class EntryFrame : std::uint8_t { kUnknown, kCalled, kOther };
EntryFrame frame_at_entry(Dwfl_Module* module, std::uint64_t offset);

}  // namespace kymo::program
