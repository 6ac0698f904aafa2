// From two consecutive sampled addresses to code spaces: the rule of Part 2.
//
// For leaf addresses a, b of one function:
// - a ≤ b and no jump instruction in [a, b): one space, the pair (a, b);
// - otherwise by the walks from a's block to b's (block_paths.h). If all pass the same blocks: one space, split at
// its
//   jumps. If not: the part common to them is one space, the rest another, flagged uncertain;
// - no walk leads there, or b is in another function: the rest of a's block, and the start of b's block, each a
// space.
//
// Addresses inside an instruction count as its beginning; an address in no known block is a space of one instruction.
//
// Not thread-safe (the cache of block pairs is filled as pairs come); one per function and thread.
#pragma once

#include "spacetime/spaces/block_paths.h"
#include "spacetime/spaces/code_space.h"
#include "spacetime/spaces/function_flow.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kymo::spacetime {

enum class PairCase : std::uint8_t {
    kNoJump,
    kOnePath,
    kSeveralPaths,
    kNoPath,
    kExecuted,  // the branches taken are known
};

struct PairSpaces {
    PairCase rule = PairCase::kNoPath;
    bool approximate = false;       // of an uncertain rest: it may hold blocks that no walk passes
    std::vector<CodeSpace> spaces;  // kSeveralPaths: common, rest; kNoPath: tail of a's block, head of b's
};

class PairRule {
  public:
    // `flow` must outlive the rule.
    explicit PairRule(const FunctionFlow& flow) : flow_(&flow) {}

    // Cost: the cut blocks' ranges; the first time for a pair of blocks also blocks_between().
    PairSpaces between(std::uint64_t a, std::uint64_t b);

    CodeSpace tail(std::uint64_t a) const;  // from a to the end of its block
    CodeSpace head(std::uint64_t b) const;  // from the beginning of b's block to b
    // From a to b, addresses of instructions in a straight run: [a, b], without checking that b is reached. Empty (no
    // pairs) if that is impossible.
    CodeSpace run(std::uint64_t a, std::uint64_t b) const;
    // From a to b where no branch between them was taken: as run(), past conditional jumps, at which it is split.
    CodeSpace executed(std::uint64_t a, std::uint64_t b) const;

    const FunctionFlow& flow() const { return *flow_; }
    std::size_t cached_block_pairs() const { return cache_.size(); }

  private:
    const FunctionFlow* flow_;
    std::unordered_map<std::uint64_t, BlocksBetween> cache_;  // by (block of a, block of b)
};

}  // namespace kymo::spacetime
