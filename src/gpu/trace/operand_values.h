// The operand values of a trace: codes of warp_code.h whose instructions are the numbers of operands, and whose
// addresses are their values.
//
// Contract: the values of a warp are read in the order of its instructions, all of them. Bytes are not trusted:
// whatever they are, next() returns false, and nothing is read past their end.
#pragma once

#include "gpu/trace/warp_code.h"

namespace kymo::gpu {

// The program that represents `operands` in codes of their values.
Program operand_program(const std::vector<TracedOperand>& operands);

struct OperandValues {
    const TracedOperand* operand = nullptr;
    LaneAddresses lanes;  // the values, of the lanes that executed the instruction
};

class OperandCursor {
  public:
    // `program`: operand_program() of `operands`. All three stay where they are.
    OperandCursor(const std::vector<TracedOperand>& operands, const Program& program, const WarpTrace& warp)
        : operands_(operands),
          values_{0, 0, warp.values, 0, nullptr},
          cursor_(program, values_),
          has_values_(warp.values) {}

    // The values of the instruction that the warp executes next; none if it has no operands, or no active lane.
    // False: they are missing.
    bool next(std::uint32_t instruction, std::uint32_t mask, std::vector<OperandValues>& values);

  private:
    const std::vector<TracedOperand>& operands_;
    WarpTrace values_;
    WarpCursor cursor_;
    bool has_values_;
};

}  // namespace kymo::gpu
