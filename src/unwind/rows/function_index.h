// The functions that call-frame sections describe, in ascending order: what compiling goes through.
//
// Taken from the linker's search table where there is one (already sorted: no pass over the section), else by a pass
// over the entries and a radix sort. Bounded on any input.
#pragma once

#include "unwind/call_frame.h"
#include "unwind/page_array.h"

#include <cstdint>

namespace kymo::unwind {

// begin (relative to the table's base) in the upper half, so that keys sort by it; then 0 for .eh_frame and 1 for
// .debug_frame; then the FDE's offset in its section.
class FunctionKey {
  public:
    static constexpr std::uint64_t kMaxOffset = 0x7FFFFFFF;
    static constexpr std::uint64_t make(std::uint32_t begin, FrameSectionKind kind, std::uint64_t offset) {
        return static_cast<std::uint64_t>(begin) << 32U |
               (kind == FrameSectionKind::kDebugFrame ? std::uint64_t{1} << 31U : 0) | offset;
    }
    static constexpr std::uint32_t begin(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32U); }
    static constexpr bool is_debug(std::uint64_t key) { return (key >> 31U & 1U) != 0; }
    static constexpr std::uint64_t offset(std::uint64_t key) { return key & kMaxOffset; }
};

// By the upper 33 bits, stable; least significant digit first, skipping digits that are all equal. False: no memory.
inline bool sort_functions(PageArray<std::uint64_t>& keys) {
    bool sorted = true;
    for (std::size_t i = 1; i < keys.size() && sorted; ++i) {
        sorted = keys[i - 1] >> 31U <= keys[i] >> 31U;
    }
    if (sorted) {
        return true;
    }
    PageArray<std::uint64_t> other;
    if (!other.reserve(keys.size())) {
        return false;
    }
    std::uint64_t* from = keys.data();
    std::uint64_t* to = other.data();
    constexpr unsigned kDigit = 11;
    constexpr std::uint64_t kMask = (1U << kDigit) - 1;
    auto* counts = static_cast<std::uint32_t*>(image::map_pages((kMask + 1) * sizeof(std::uint32_t)));
    if (counts == nullptr) {
        other.give_back();
        return false;
    }
    for (unsigned shift = 31; shift < 64; shift += kDigit) {
        for (std::size_t i = 0; i <= kMask; ++i) {
            counts[i] = 0;
        }
        for (std::size_t i = 0; i < keys.size(); ++i) {
            ++counts[from[i] >> shift & kMask];
        }
        if (counts[from[0] >> shift & kMask] == keys.size()) {
            continue;
        }
        std::uint32_t place = 0;
        for (std::size_t i = 0; i <= kMask; ++i) {
            const std::uint32_t count = counts[i];
            counts[i] = place;
            place += count;
        }
        for (std::size_t i = 0; i < keys.size(); ++i) {
            to[counts[from[i] >> shift & kMask]++] = from[i];
        }
        std::uint64_t* swap = from;
        from = to;
        to = swap;
    }
    if (from != keys.data()) {
        std::memcpy(keys.data(), from, keys.size() * sizeof(std::uint64_t));
    }
    image::unmap_pages(counts, (kMask + 1) * sizeof(std::uint32_t));
    other.give_back();
    return true;
}

}  // namespace kymo::unwind
