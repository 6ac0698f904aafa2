#include "gpu/model/decoded.h"

#include <algorithm>
#include <cmath>

namespace kymo::gpu {
namespace {

constexpr unsigned kNoRegister = 255;  // RZ

Pipe pipe_of(OpClass op_class) {
    switch (op_class) {
        case OpClass::kInt:
            return kPipeAlu;
        case OpClass::kIntMul:
        case OpClass::kFp32:
            return kPipeFma;
        case OpClass::kFp16:
            return kPipeHalf;
        case OpClass::kFp64:
            return kPipeDouble;
        case OpClass::kSfu:
        case OpClass::kConvert:
            return kPipeSpecial;
        case OpClass::kTensor:
            return kPipeTensor;
        case OpClass::kUniform:
            return kPipeUniform;
        case OpClass::kMemory:
            return kPipeMemory;
        case OpClass::kNop:
        case OpClass::kBranch:
        case OpClass::kControl:
        case OpClass::kBarrier:
        case OpClass::kExit:
            break;
    }
    return kPipeFree;
}

std::uint8_t flops_of(const StaticInstruction& instruction) {
    const std::string& opcode = instruction.opcode;
    const bool fused = opcode.starts_with("FFMA") || opcode.starts_with("DFMA");
    const bool single = opcode.starts_with("FADD") || opcode.starts_with("FMUL") || opcode.starts_with("DADD") ||
                        opcode.starts_with("DMUL");
    if (opcode.starts_with("HFMA2") && opcode.find("MMA") == std::string::npos) {
        return 4;
    }
    if (opcode.starts_with("HFMA2")) {
        return 0;  // HFMA2.MMA: how the compiler loads an immediate
    }
    return fused ? 2 : single ? 1 : 0;
}

// The barriers replace dependences on registers, predicates and the uniform path.
void use_control(const IssueControl& control, Decoded& decoded) {
    decoded.op.reads_predicate = decoded.op.sets_predicate = decoded.op.uniform = false;
    decoded.stall = std::max<std::uint8_t>(control.stall, 1);
    const auto entry = [](std::uint8_t barrier) {
        return static_cast<std::uint8_t>(barrier < IssueControl::kBarriers ? Scoreboard::of_barrier(barrier) : 0);
    };
    decoded.write_barrier = entry(control.write_barrier);
    decoded.read_barrier = entry(control.read_barrier);
    for (unsigned i = 0; i < IssueControl::kBarriers; ++i) {
        if ((control.waits >> i & 1U) != 0) {
            decoded.source[decoded.sources++] = Scoreboard::of_barrier(i);
        }
    }
}

}  // namespace

Decoded decode(const Gpu& gpu, const StaticInstruction& instruction) {
    Decoded decoded;
    const Op& op = instruction.op;
    decoded.op = op;
    decoded.pipe = pipe_of(op.op_class);
    const auto index = static_cast<std::size_t>(op.op_class);
    decoded.latency = static_cast<std::uint16_t>(std::lround(std::max(1.0, gpu.latency[index])));
    decoded.interval = static_cast<std::uint16_t>(std::lround(std::max(1.0, gpu.interval[index])));
    decoded.flops = flops_of(instruction);
    if (instruction.control.known) {
        use_control(instruction.control, decoded);
        return decoded;
    }
    for (unsigned i = 0; i < instruction.sources.count; ++i) {
        const std::uint16_t number = instruction.sources.number[i];
        decoded.source[decoded.sources++] = Scoreboard::of_register(number);
        // Global and local addresses are register pairs; so are the operands of doubles. Traces name the first.
        const bool address = i == 0 && (op.space == Space::kGlobal || op.space == Space::kGeneric);
        const bool pair = op.op_class == OpClass::kFp64 || (op.store && op.bytes >= 8 && i > 0);
        if ((address || pair) && number + 1U < kNoRegister) {
            decoded.source[decoded.sources++] = Scoreboard::of_register(number + 1U);
        }
    }
    if (op.space == Space::kGlobal) {
        decoded.source[decoded.sources++] = Scoreboard::kUniform;  // the descriptor
    }
    const unsigned results = op.bytes == 16 && op.load ? 4 : op.wide_result ? 2 : 1;
    for (unsigned i = 0; i < instruction.destinations.count; ++i) {
        for (unsigned k = 0; k < results && decoded.destinations < decoded.destination.size(); ++k) {
            const unsigned number = instruction.destinations.number[i] + k;
            if (number < kNoRegister) {
                decoded.destination[decoded.destinations++] = Scoreboard::of_register(number);
            }
        }
    }
    return decoded;
}

}  // namespace kymo::gpu
