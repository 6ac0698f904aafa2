// A code space: a set of address pairs (addrS, addrE) of instructions of one image, both ends included.
//
// The first address of a pair is a sampled instruction or a jump's target; the last is a jump or a sampled
// instruction. The sampled instruction at the end counts: it is the one that was running. The space *is* its
// bytes: from the first byte of addrS to the last byte of addrE's instruction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

// Instructions are counted in 256ths, since the uncertain rest has a mean. Weights are integers and add up exactly.
constexpr std::uint64_t kInstruction = 256;

struct AddressPair {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool operator==(const AddressPair&) const = default;
};

struct ByteRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    auto operator<=>(const ByteRange&) const = default;
};

// Instructions executed in a block, as far as known.
struct BlockPart {
    std::uint32_t block = 0;
    std::uint64_t instructions = 0;  // kInstruction each
    bool operator==(const BlockPart&) const = default;
};

struct CodeSpace {
    std::vector<AddressPair> pairs;  // in the order of execution; of an uncertain rest: by address
    std::vector<ByteRange> ranges;   // ascending, disjoint, not touching
    std::vector<BlockPart> parts;    // none for addresses in no known block
    std::uint64_t instructions = 0;  // kInstruction each
    bool uncertain = false;          // beside a common part: some of it was executed
};

// Sorts and joins ranges that overlap or touch; drops empty ones.
std::vector<ByteRange> normalise(std::vector<ByteRange> ranges);

std::uint64_t byte_count(std::span<const ByteRange> ranges);
// Bytes in both. Preconditions: normalised. Cost: linear.
std::uint64_t common_bytes(std::span<const ByteRange> a, std::span<const ByteRange> b);
std::vector<ByteRange> intersection(std::span<const ByteRange> a, std::span<const ByteRange> b);

}  // namespace kymo::spacetime
