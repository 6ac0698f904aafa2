// The lines of a code object's instructions, from CPython's tables (Objects/lnotab_notes.txt, Objects/locations.md).
//
// Usable in signal handlers; reads nothing but the bytes that are given.
#pragma once

#include "monitor/python/layout.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace kymo::monitor::python {

class LineTable {
  public:
    // `first`: the code object's first line.
    LineTable(Lines kind, std::span<const std::uint8_t> bytes, std::int64_t first)
        : kind_(kind), bytes_(bytes), line_(first) {}

    struct Entry {
        std::uint64_t bytes = 0;  // of instructions that it is about
        std::int64_t line = 0;
        bool has_line = false;
    };
    // False: the end, or bytes that are no entry.
    bool next(Entry* entry) {
        return kind_ == Lines::kSteps    ? next_step(entry)
               : kind_ == Lines::kRanges ? next_range(entry)
                                         : next_location(entry);
    }

  private:
    // A step is behind the bytes that are at the line before; the last line has no end.
    bool next_step(Entry* entry) {
        entry->line = line_;
        entry->has_line = true;
        entry->bytes = 0;
        if (is_at_end_) {
            return false;
        }
        std::uint8_t bytes = 0;
        std::uint8_t step = 0;
        if (take(&bytes) && take(&step)) {
            entry->bytes = bytes;
            line_ += static_cast<std::int8_t>(step);
        } else {
            entry->bytes = ~std::uint64_t{0};
            is_at_end_ = true;
        }
        return true;
    }

    bool next_range(Entry* entry) {
        constexpr std::int8_t kNoLine = -128;
        std::uint8_t bytes = 0;
        std::uint8_t step = 0;
        if (!take(&bytes) || !take(&step)) {
            return false;
        }
        entry->bytes = bytes;
        entry->has_line = static_cast<std::int8_t>(step) != kNoLine;
        line_ += entry->has_line ? static_cast<std::int8_t>(step) : 0;
        entry->line = line_;
        return true;
    }

    bool next_location(Entry* entry) {
        std::uint8_t head = 0;
        if (!take(&head) || (head & kHead) == 0) {
            return false;
        }
        const unsigned kind = head >> 3U & 15U;
        entry->bytes = ((head & 7U) + 1U) * 2U;
        entry->has_line = kind != kNone;
        std::size_t skipped = 0;
        if (kind == kLong || kind == kNoColumn) {
            std::uint64_t delta = 0;
            if (!take_number(&delta)) {
                return false;
            }
            line_ +=
                (delta & 1U) != 0 ? -static_cast<std::int64_t>(delta >> 1U) : static_cast<std::int64_t>(delta >> 1U);
            for (unsigned i = 0; i < 3 && kind == kLong; ++i) {  // the last line, and two columns
                if (!take_number(&delta)) {
                    return false;
                }
            }
        } else if (kind >= kOneLine && kind < kNoColumn) {
            line_ += static_cast<std::int64_t>(kind - kOneLine);
            skipped = 2;
        } else if (kind < kOneLine) {
            skipped = 1;
        }
        if (bytes_.size() - at_ < skipped) {
            return false;
        }
        at_ += skipped;
        entry->line = line_;
        return true;
    }

    static constexpr std::uint8_t kHead = 0x80;
    static constexpr unsigned kOneLine = 10;
    static constexpr unsigned kNoColumn = 13;
    static constexpr unsigned kLong = 14;
    static constexpr unsigned kNone = 15;

    bool take(std::uint8_t* byte) {
        if (at_ == bytes_.size()) {
            return false;
        }
        *byte = bytes_[at_++];
        return true;
    }
    // Six bits a byte, lowest first; bit 6: more follow.
    bool take_number(std::uint64_t* number) {
        constexpr unsigned kMostBits = 60;
        *number = 0;
        for (unsigned shift = 0; shift < kMostBits; shift += 6) {
            std::uint8_t byte = 0;
            if (!take(&byte)) {
                return false;
            }
            *number |= static_cast<std::uint64_t>(byte & 63U) << shift;
            if ((byte & 64U) == 0) {
                return true;
            }
        }
        return false;
    }

    Lines kind_;
    std::span<const std::uint8_t> bytes_;
    std::size_t at_ = 0;
    std::int64_t line_;
    bool is_at_end_ = false;
};

// The line of the instruction that many bytes behind the code's beginning; `first` where there is none.
inline std::int64_t line_at(LineTable table, std::int64_t first, std::uint64_t offset) {
    LineTable::Entry entry;
    std::uint64_t begin = 0;
    while (table.next(&entry)) {
        if (offset - begin < entry.bytes) {
            return entry.has_line ? entry.line : first;
        }
        begin += entry.bytes;
    }
    return first;
}

// How many lines from `first` on the code has.
inline std::int64_t lines_of(LineTable table, std::int64_t first) {
    LineTable::Entry entry;
    std::int64_t last = first;
    while (table.next(&entry)) {
        last = entry.has_line && entry.line > last ? entry.line : last;
    }
    return last - first + 1;
}

}  // namespace kymo::monitor::python
