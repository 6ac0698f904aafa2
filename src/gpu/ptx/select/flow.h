// A function's basic blocks, where diverged lanes meet again, and which registers are needed where.
//
// Contract: internal to compile(). Blocks are ranges of drafts. Lanes that exit never meet the others again, so a
// guarded exit is not an edge; a return of a device function is an edge to its end.
#pragma once

#include "gpu/ptx/parse/module.h"
#include "gpu/ptx/select/draft.h"

#include <span>
#include <vector>

namespace kymo::gpu::ptx {

struct FlowBlock {
    std::uint32_t first = 0;  // drafts
    std::uint32_t end = 0;
    std::vector<std::uint32_t> next;  // blocks; Flow::blocks.size(): the function's end
    std::uint32_t meet = 0;           // the immediate post-dominator; as above
};

struct Flow {
    std::vector<FlowBlock> blocks;
    std::vector<std::uint32_t> block_of_label;
    std::uint32_t end() const { return static_cast<std::uint32_t>(blocks.size()); }
};

// Turns branches to a kernel's bare `ret` into exits first.
Flow flow_of(const Function& function, std::vector<Draft>& drafts);

// Sets of registers, a bit each.
class RegisterSet {
  public:
    explicit RegisterSet(std::size_t registers) : words_((registers + 63) / 64) {}
    bool has(std::uint32_t number) const { return (words_[number / 64] >> (number % 64) & 1U) != 0; }
    void add(std::uint32_t number) { words_[number / 64] |= std::uint64_t{1} << (number % 64); }
    void remove(std::uint32_t number) { words_[number / 64] &= ~(std::uint64_t{1} << (number % 64)); }
    bool join(const RegisterSet& other);  // true: grew
    template <typename F>
    void each(F f) const {
        for (std::size_t word = 0; word < words_.size(); ++word) {
            for (std::uint64_t left = words_[word]; left != 0; left &= left - 1) {
                f(static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(__builtin_ctzll(left)));
            }
        }
    }

  private:
    std::vector<std::uint64_t> words_;
};

// Registers needed at each block's beginning, of the first `registers`. A write under a guard does not end the need.
std::vector<RegisterSet> needed_at_begin(const Flow& flow, std::span<const Draft> drafts, std::size_t registers);

}  // namespace kymo::gpu::ptx
