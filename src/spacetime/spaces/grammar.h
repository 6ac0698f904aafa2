// A sequence compressed into a grammar: the pair of neighbours that occurs most often becomes a symbol of its own,
// again and again, until no pair occurs twice. A repetition in the sequence is then a rule.
//
// Re-Pair: Larsson and Moffat, "Off-line dictionary-based compression", Proceedings of the IEEE 88(11), 2000. Of
// pairs that occur equally often the first one is taken, so the result depends on the sequence alone.
// Cost: O(n log n) time, about 60 bytes an element.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kymo::spacetime {

// Never part of a rule: separates pieces of a sequence that do not belong together.
constexpr std::uint32_t kSeparator = 0xffffffffU;

struct Grammar {
    std::uint32_t first_rule = 0;  // symbols from here on are rules; below, those of the sequence
    std::vector<std::pair<std::uint32_t, std::uint32_t>> rules;  // symbol first_rule + i
    std::vector<std::uint32_t> uses;                             // by rule: times it was inserted, when it was made
    std::vector<std::uint32_t> start;                            // the compressed sequence

    // The expansion of a symbol; cut after `most` symbols.
    std::vector<std::uint32_t> expand(std::uint32_t symbol, std::size_t most) const;
};

// Symbols below 2^30, or kSeparator.
Grammar compress(std::span<const std::uint32_t> sequence);

// The shortest sequence of which `sequence` is a whole number of copies.
std::span<const std::uint32_t> primitive_root(std::span<const std::uint32_t> sequence);

}  // namespace kymo::spacetime
