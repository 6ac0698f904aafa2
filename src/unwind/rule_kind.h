// What a compact rule is. The lowest three bits of every rule word, on every architecture.
#pragma once

#include <cstdint>

namespace kymo::unwind {

enum class RuleKind : std::uint8_t {
    kNone = 0,      // no call-frame information here
    kBottom = 1,    // the return address is undefined: the outermost frame
    kPlain = 2,     // everything is in the word, see the architecture's rule.h
    kExtended = 3,  // the rest of the word is an index into the table's extended rules
    kBad = 4,       // there is information, but it is not understood
    kSwitch = 5,    // the function moves to another stack: its caller is not on this one
    kHandOver = 6,  // likewise, and never returns: its caller goes on at another time, maybe in another thread
};

// A whole rule in 8 bytes.
using RuleWord = std::uint64_t;

inline constexpr unsigned kRuleKindBits = 3;
inline constexpr RuleWord kRuleKindMask = (1U << kRuleKindBits) - 1;

constexpr RuleKind kind_of(RuleWord rule) {
    return static_cast<RuleKind>(rule & kRuleKindMask);
}
constexpr RuleWord simple_rule(RuleKind kind) {
    return static_cast<RuleWord>(kind);
}
constexpr RuleWord extended_rule(std::uint32_t index) {
    return static_cast<RuleWord>(index) << kRuleKindBits | static_cast<RuleWord>(RuleKind::kExtended);
}
constexpr std::uint32_t extended_index(RuleWord rule) {
    return static_cast<std::uint32_t>(rule >> kRuleKindBits);
}

}  // namespace kymo::unwind
