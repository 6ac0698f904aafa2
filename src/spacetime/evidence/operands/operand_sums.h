// The operands of a run's samples: which memory its instructions used, and which of them computed with denormals.
//
// Only of functions whose graphs were made: those that take much of the time.
#pragma once

#include "program/flow/operand_use.h"
#include "recording/tables.h"
#include "recording/tables/processor.h"
#include "spacetime/evidence/code_map.h"
#include "spacetime/profile/profile.h"
#include "team/members.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kymo::spacetime {

inline constexpr unsigned kLineBytes = 64;  // of memory that processors hand to one another as a whole

// Sampled addresses by number: image, offset.
using AddressPlaces = std::span<const std::pair<std::uint32_t, std::uint64_t>>;

// By number of the address.
struct OperandUses {
    std::vector<std::uint32_t> of_address;  // index of `uses`; kNone: nothing is known of it
    std::vector<program::OperandUse> uses;
};

// Empty where the profile has no operands and no memory accesses. With accesses every address has a use, since they
// need no code. Cost: decodes two instructions an address.
OperandUses operand_uses(const Profile& profile, AddressPlaces addresses, const CodeMap& code);

// A sample's use of a cache line.
struct MemoryUse {
    std::uint64_t line = 0;   // address divided by kLineBytes
    std::uint64_t bytes = 0;  // bit n: its byte n
    std::uint64_t time = 0;
    std::uint32_t thread = 0;
    std::uint32_t use = 0;  // index of OperandUses::uses
    std::uint32_t row = 0;  // of its stream's operands: a row may use several lines
    bool is_written = false;
    bool is_near = false;  // by another instruction of the block than the sampled one
};

struct OperandSums {
    std::vector<std::uint32_t> rows;       // by index of OperandUses::uses: rows there
    std::vector<std::uint32_t> denormals;  // of these with a denormal operand
    std::vector<MemoryUse> memory;         // at most kMostMemoryUses a stream
};
KYMO_MEMBERS(OperandSums, rows, denormals, memory)

void merge(OperandSums& to, OperandSums&& from);

// One stream's, in the order of time.
class StreamOperands {
  public:
    // `most`: MemoryUses of the stream.
    StreamOperands(const OperandUses& uses, std::uint32_t thread, std::size_t most, OperandSums& sums)
        : uses_(uses), thread_(thread), most_(most), sums_(sums) {}

    // A sample at an address (kNone: not known), whose image offset is `offset`.
    void sample(std::uint32_t address, std::uint64_t offset, std::uint64_t time) {
        use_ = address == kNone || uses_.of_address.empty() ? kNone : uses_.of_address[address];
        offset_ = offset;
        time_ = time;
    }
    // Of that sample.
    void operands(const recording::SampleOperands& row);
    // Likewise.
    void access(const recording::MemoryAccess& row);

  private:
    const OperandUses& uses_;
    std::uint32_t thread_;
    std::size_t most_;
    OperandSums& sums_;
    std::uint32_t use_ = kNone;
    std::uint32_t rows_ = 0;
    std::uint64_t offset_ = 0;
    std::uint64_t time_ = 0;
};

}  // namespace kymo::spacetime
