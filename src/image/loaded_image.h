// A load image: its place in a process, its identity, and its call-frame sections. The process is our own, or another
// one whose image lies in our own memory as well (moved()).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::image {

// Process addresses.
struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    constexpr bool holds(std::uint64_t address) const { return address - begin < end - begin; }
    constexpr bool empty() const { return begin == end; }
};

struct LoadedSegment {
    Range range;              // what the file backs (p_filesz)
    std::uint32_t flags = 0;  // PF_R, PF_W, PF_X
    std::uint64_t end = 0;    // including zeroed bytes behind it
};

struct LoadedImage {
    Range range;                             // from the first to behind the last segment
    std::uint64_t bias = 0;                  // process address = bias + image offset
    std::string_view path;                   // absolute; "[vdso]" for the kernel's; empty if unknown
    std::span<const std::uint8_t> build_id;  // raw; may be empty
    std::uint16_t machine = 0;
    // What to add to one of its addresses to get where its bytes are in our own memory: 0 in our own process.
    std::uint64_t elsewhere = 0;
    // False: other mappings may be between its segments (a program that is not position-independent).
    bool is_whole = true;

    std::array<LoadedSegment, 16> segments{};
    std::uint32_t segment_count = 0;

    Range eh_frame_header;  // .eh_frame_hdr, up to the end of its segment; empty if there is none
    Range eh_frame;         // set only if there is no header and the file's section table has it; otherwise empty
    // Go's function table (go_table.h), up to the end of its section; empty if there is none.
    Range go_table;
    // Relocations, of images with such a table alone: addresses in the table may be in them, of a file that is not
    // relocated.
    Range relocations;
    // A copy from the file; empty if it has none (or is gone, replaced, or compressed otherwise than by zlib).
    std::span<const std::uint8_t> debug_frame;

    // The segment (as far as the file backs it) that contains `address`; nullptr for none.
    const LoadedSegment* segment_of(std::uint64_t address) const {
        for (std::uint32_t i = 0; i < segment_count; ++i) {
            if (segments[i].range.holds(address)) {
                return &segments[i];
            }
        }
        return nullptr;
    }
    bool is_code(std::uint64_t address) const {
        const LoadedSegment* segment = segment_of(address);
        return segment != nullptr && (segment->flags & 1U) != 0;
    }
    // From the lowest to behind the highest executable address.
    Range code() const;
    // As it is in a process that has it at this bias; its bytes stay where they are here.
    LoadedImage moved(std::uint64_t to_bias) const;
};

}  // namespace kymo::image
