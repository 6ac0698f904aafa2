// Distinguishes files without a build id: a number made of what the program loader maps of them and nothing
// modifies. Debug information is not part of it, so a file may be stripped meanwhile.
//
// Contract: usable in signal handlers; nothing is allocated; errno is kept. Bytes are read as little-endian words.
#pragma once

#include "base/hash.h"
#include "image/loaded_image.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <span>

namespace kymo::image {

// Of each segment that is readable, neither writable nor executable (code may be patched, for example by hooks):
// its first bytes, as in the file. Files of older linkers have no such segment, so nothing is known of them.
inline constexpr std::size_t kContentOfSegment = std::size_t{64} << 10U;
inline constexpr bool counts_for_content(std::uint32_t segment_flags) {
    return (segment_flags & (PF_R | PF_W | PF_X)) == PF_R;
}

class Content {
  public:
    // A segment's bytes, in pieces of whole words except the last.
    void add(std::span<const std::uint8_t> bytes) {
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
            value_ = mix(value_ ^ word);
        }
        bytes_ += bytes.size();
    }
    // 0: of nothing.
    std::uint64_t value() const { return bytes_ == 0 ? 0 : mix(value_ ^ bytes_) | 1U; }

  private:
    std::uint64_t value_ = 0;
    std::uint64_t bytes_ = 0;
};

// Of an image in our own process: 0 where its memory cannot be read. Some 200 µs.
std::uint64_t content_of(const LoadedImage& image);

// Of a file's bytes: 0 if it is not an ELF file of 64 bits.
std::uint64_t content_of(std::span<const std::uint8_t> file);

}  // namespace kymo::image
