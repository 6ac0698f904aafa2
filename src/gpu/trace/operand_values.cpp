#include "gpu/trace/operand_values.h"

#include <algorithm>

namespace kymo::gpu {

Program operand_program(const std::vector<TracedOperand>& operands) {
    Program program(operands.size());
    for (StaticInstruction& instruction : program) {
        instruction.width = 1;  // it has "addresses"
    }
    return program;
}

bool OperandCursor::next(std::uint32_t instruction, std::uint32_t mask, std::vector<OperandValues>& values) {
    values.clear();
    if (!has_values_ || mask == 0) {
        return true;
    }
    auto operand = std::lower_bound(operands_.begin(), operands_.end(), instruction,
                                    [](const TracedOperand& one, std::uint32_t of) { return one.instruction < of; });
    for (; operand != operands_.end() && operand->instruction == instruction; ++operand) {
        OperandValues& one = values.emplace_back();
        one.operand = &*operand;
        if (!cursor_.next() || cursor_.mask() != mask ||
            cursor_.index() != static_cast<std::size_t>(operand - operands_.begin()) ||
            !cursor_.addresses(one.lanes)) {
            return false;
        }
    }
    return true;
}

}  // namespace kymo::gpu
