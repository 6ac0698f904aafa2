#include "gpu/ptx/parse/instruction_words.h"

namespace kymo::gpu::ptx {

std::string words_of(const Module& module, const Instruction& instruction) {
    std::string words = module.names[instruction.opcode];
    for (const std::uint32_t modifier : instruction.modifiers) {
        words += "." + module.names[modifier];
    }
    return words;
}

}  // namespace kymo::gpu::ptx
