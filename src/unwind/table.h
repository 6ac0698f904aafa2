// A load image's unwinding table: sorted rows (image offset → rule word), made once, then only read.
//
// Row i covers start(i) up to start(i + 1); gaps between functions are rows of kind kNone, so every address from
// the first row on has exactly one. 12 bytes a row, in two arrays: a search touches only the 4-byte starts.
//
// Contract: immutable after compile() (compile.h); read by any thread and by handlers without locks. Everything a
// rule needs, expressions included, is inside the table: it stays usable when the image is gone.
#pragma once

#include "unwind/row_state.h"
#include "unwind/rule_kind.h"

#include <cstdint>
#include <span>

namespace kymo::unwind {

struct Table {
    std::uint64_t base = 0;  // image offset that starts count from
    std::uint32_t rows = 0;
    std::uint32_t extended_rows = 0;
    const std::uint32_t* starts = nullptr;  // ascending, no two equal
    const RuleWord* rules = nullptr;
    const ExtendedRule* extended = nullptr;
    std::span<const std::uint8_t> expressions;
    const std::uint32_t* functions_begin = nullptr;  // ascending, no two equal; relative to base
    std::uint32_t function_count = 0;                // of functions_begin

    // Statistics of compiling.
    std::uint32_t functions = 0;      // FDEs used
    std::uint32_t bad_functions = 0;  // FDEs that could not be read, or only in part

    // The rule at an image offset. Branch-free binary search: about 2 ns a halving once cached.
    RuleWord find(std::uint64_t offset) const {
        const std::uint64_t relative = offset - base;
        if (rows == 0 || relative > UINT32_MAX || relative < starts[0]) {
            return simple_rule(RuleKind::kNone);
        }
        return rules[row_of(static_cast<std::uint32_t>(relative))];
    }
    // Precondition: rows > 0 and relative >= starts[0].
    std::uint32_t row_of(std::uint32_t relative) const;

    // The begin of the last function at or before an image offset. False: none.
    bool function_at(std::uint64_t offset, std::uint64_t* begin) const;
    // The begin of the first function behind an image offset. False: none.
    bool function_behind(std::uint64_t offset, std::uint64_t* begin) const;

    // The extended rule behind a word of kind kExtended; nullptr for an index that the table does not have.
    const ExtendedRule* extended_of(RuleWord rule) const {
        return extended_index(rule) < extended_rows ? &extended[extended_index(rule)] : nullptr;
    }
    std::span<const std::uint8_t> expression(std::int64_t packed) const {
        const ExpressionPlace place = unpack(packed);
        if (place.offset > expressions.size() || place.size > expressions.size() - place.offset) {
            return {};
        }
        return expressions.subspan(place.offset, place.size);
    }
};

}  // namespace kymo::unwind
