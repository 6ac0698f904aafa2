// Which operands of a launch's instructions have their values traced, and how these are kept until the instruction
// is recorded.
//
// Values that an instruction reads are captured before it executes, those that it writes after. Constants have no
// traced values, and a guard's value is the execution mask. Bulk copies, of which one instruction represents many,
// are left out; of what ends a block, only the reads are traced.
//
// Contract: plan_operands() is pure. Cost of a launch with values: ten to twenty times that of a trace without,
// and some 100 bytes per warp instruction.
#pragma once

#include "gpu/ptx/select/compile.h"
#include "gpu/trace/kernel.h"

#include <array>
#include <span>
#include <vector>

namespace kymo::gpu::ptx {

struct OperandPlan {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::vector<TracedOperand> operands;
    Program program;                                  // operand_program() of them
    std::vector<std::vector<std::uint32_t>> numbers;  // of Compiled::uses, by function: in `operands`, or kNone
};

// `functions`, `program_begin`: as LaunchParts has them.
OperandPlan plan_operands(std::span<const Compiled* const> functions, std::span<const std::uint32_t> program_begin);

// The uses of the operation, or of the block's ending, that a machine instruction represents.
UseRange uses_of(const Compiled& code, const Block& block, const MachineInstruction& machine);

// The values of a block's operands so far, one set a use.
class HeldOperands {
  public:
    using Lanes = std::array<std::uint64_t, kWarpLanes>;
    // Captures the uses that write, or those that read.
    void look(const Warp& warp, const Compiled& code, UseRange uses, bool writes, std::uint32_t lanes);
    const Lanes& of(std::uint32_t use) const { return values_[use]; }
    // The lanes' values as `from` holds them.
    void join(const HeldOperands& from, std::uint32_t lanes);

  private:
    std::vector<Lanes> values_;  // by use of the function that executes
};

}  // namespace kymo::gpu::ptx
