#include "program/flow/operand_use.h"

#include <algorithm>

namespace kymo::program {
namespace {

constexpr std::uint8_t kDoubleBits = 64;
constexpr std::uint8_t kFloatBits = 32;

constexpr std::uint32_t register_bit(std::uint8_t reg) {
    return reg < 32 ? std::uint32_t{1} << reg : 0;
}

// Those whose registers are not among `changed`. Returns how many.
std::uint8_t add_memory(const Instruction& in, std::uint32_t changed, OperandUse* use) {
    std::uint8_t added = 0;
    for (std::size_t i = 0; i < in.memory_operands && use->all_operands() + added < OperandUse::kMost; ++i) {
        const MemoryOperand& operand = in.memory[i];
        if (((register_bit(operand.base) | register_bit(operand.index)) & changed) == 0) {
            use->memory[use->all_operands() + added] = operand;
            ++added;
        }
    }
    return added;
}

void add_operands(const Instruction& in, std::uint32_t changed, std::uint32_t vectors, OperandUse* use) {
    use->memory_operands += add_memory(in, changed, use);
    use->doubles |= in.float_bits == kDoubleBits ? vectors : 0;
    use->floats |= in.float_bits == kFloatBits ? vectors : 0;
}

}  // namespace

OperandUse operand_use(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph, std::uint64_t address) {
    OperandUse use;
    const std::uint32_t number = graph.block_at(address);
    if (number == kNone) {
        return use;
    }
    const Block& block = graph.blocks[number];
    const std::uint32_t at = graph.instruction_at(block, address);
    const auto decoded = [&](std::uint32_t index, Instruction* in) {
        const std::uint64_t begin = graph.instructions[index];
        return decoder.decode(code.from(begin), begin, in);
    };
    Instruction in;
    if (graph.instructions[at] != address || !decoded(at, &in)) {
        return use;
    }
    add_operands(in, 0, in.vector_reads, &use);
    std::uint32_t changed_behind = in.writes;
    std::uint32_t changed_before = 0;
    // Before a call the registers were others, and it may be long ago.
    const bool has_before = at > block.first_instruction && decoded(at - 1, &in) && !is_call(in.kind);
    if (has_before) {
        changed_before = in.writes;
        add_operands(in, changed_before, in.vector_reads | in.vector_writes, &use);
    }
    const std::uint32_t end = std::min(block.first_instruction + block.instructions, at + kMostAround);
    for (std::uint32_t i = at + 1; i < end && decoded(i, &in); ++i) {
        use.near_operands += add_memory(in, changed_behind, &use);
        changed_behind |= in.writes;
    }
    const std::uint32_t first = std::max(block.first_instruction, at - std::min(at, kMostAround));
    for (std::uint32_t i = at - 1; has_before && i > first && decoded(i - 1, &in) && !is_call(in.kind); --i) {
        changed_before |= in.writes;
        use.near_operands += add_memory(in, changed_before, &use);
    }
    return use;
}

std::optional<std::uint64_t> address_of(const MemoryOperand& operand, std::span<const std::uint64_t> registers,
                                        std::uint64_t bias) {
    if (operand.segment != Segment::kNone || operand.index_is_vector) {
        return std::nullopt;
    }
    auto address = static_cast<std::uint64_t>(operand.displacement) + (operand.image_relative ? bias : 0);
    if (operand.base != kNoRegister) {
        if (operand.base >= registers.size()) {
            return std::nullopt;
        }
        address += registers[operand.base];
    }
    if (operand.index != kNoRegister) {
        if (operand.index >= registers.size()) {
            return std::nullopt;
        }
        address += registers[operand.index] * operand.scale;
    }
    return address;
}

}  // namespace kymo::program
