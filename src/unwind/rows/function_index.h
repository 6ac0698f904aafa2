// The functions that call-frame sections and Go's table describe, in ascending order: what compiling goes through.
//
// Taken from the linker's search table where there is one (already sorted: no pass over the section), else by a pass
// over the entries and a radix sort. Bounded on any input.
#pragma once

#include "unwind/call_frame.h"
#include "unwind/page_array.h"

#include <cstdint>

namespace kymo::unwind {

// begin (relative to the table's base) in the upper half, so that keys sort by it; then 0 for .eh_frame and 1 for the
// others, of which no two have one begin; of those, 0 for .debug_frame and 1 for Go's table; then the FDE's offset in
// its section, or the function's index in the table.
class FunctionKey {
  public:
    static constexpr std::uint64_t max_offset(FrameSectionKind kind) {
        return kind == FrameSectionKind::kEhFrame ? 0x7FFFFFFF : kMaxOther;
    }
    static constexpr std::uint64_t make(std::uint32_t begin, FrameSectionKind kind, std::uint64_t offset) {
        return static_cast<std::uint64_t>(begin) << 32U | (kind == FrameSectionKind::kDebugFrame ? kIsOther : 0) |
               offset;
    }
    static constexpr std::uint64_t make_go(std::uint32_t begin, std::uint64_t index) {
        return static_cast<std::uint64_t>(begin) << 32U | kIsOther | kIsGo | index;
    }
    static constexpr std::uint32_t begin(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32U); }
    static constexpr bool is_debug(std::uint64_t key) { return (key & (kIsOther | kIsGo)) == kIsOther; }
    static constexpr bool is_go(std::uint64_t key) { return (key & (kIsOther | kIsGo)) == (kIsOther | kIsGo); }
    static constexpr std::uint64_t offset(std::uint64_t key) {
        return key & ((key & kIsOther) == 0 ? kIsOther - 1 : kMaxOther);
    }

    static constexpr std::uint64_t kMaxOther = 0x3FFFFFFF;

  private:
    static constexpr std::uint64_t kIsOther = std::uint64_t{1} << 31U;
    static constexpr std::uint64_t kIsGo = std::uint64_t{1} << 30U;
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
