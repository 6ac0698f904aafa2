// What is told about a kernel that does what it must not.
#include "gpu/ptx/execute/cta_runner.h"
#include "gpu/ptx/parse/instruction_words.h"

#include <bit>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

std::string triple(const Dim3& dim) {
    return fmt::format("{},{},{}", dim.x, dim.y, dim.z);
}

}  // namespace

bool CtaRunner::fail(const WarpState& state, Fault fault, const Compiled& code, std::uint32_t instruction,
                     unsigned lane, const std::string& what) {
    const Dim3& block = parts_.launch.block;
    const std::uint64_t thread = std::uint64_t{state.warp.number} * kWarpLanes + lane;
    const Dim3 at{static_cast<std::uint32_t>(thread % block.x),
                  static_cast<std::uint32_t>(thread / block.x % block.y),
                  static_cast<std::uint32_t>(thread / (std::uint64_t{block.x} * block.y))};
    const Function& function = *code.function;
    const std::string where = instruction < function.instructions.size()
                                  ? parts_.module->where(function.instructions[instruction].place)
                                  : parts_.module->name;
    failure_.fault = fault;
    failure_.error = {
        ErrorKind::kMalformed,
        fmt::format("{}: in {}: {} (CTA {} thread {})", where, function.name, what, triple(cta_), triple(at)),
        "mend the kernel, or what it was given"};
    return false;
}

bool CtaRunner::fail_memory(const WarpState& state, const Compiled& code, const Op& op) {
    const auto& fault = state.warp.fault;
    const Function& function = *code.function;
    const Instruction& instruction = function.instructions[op.instruction];
    const std::string words = words_of(*parts_.module, instruction);
    const std::string access =
        fmt::format("{} {} {} bytes at 0x{:x}", words, fault.store ? "writes" : "reads", fault.bytes, fault.address);
    switch (fault.kind) {
        case FaultKind::kTrap:
            return fail(state, Fault::kTrap, code, op.instruction, fault.lane, "trap");
        case FaultKind::kPartial:
            return fail(state, Fault::kTrap, code, op.instruction, fault.lane,
                        fmt::format("{} in lanes 0x{:x}: it takes all 32 of a warp", words, fault.address));
        case FaultKind::kNoObject:
            return fail(state, Fault::kTrap, code, op.instruction, fault.lane,
                        fmt::format("{} at 0x{:x} of shared memory, where no mbarrier was made", words,
                                    fault.address & 0xFFFF'FFFFU));
        case FaultKind::kOverrun:
            return fail(state, Fault::kTrap, code, op.instruction, fault.lane,
                        fmt::format("{} at 0x{:x} of shared memory: more than the mbarrier's phase waits for", words,
                                    fault.address & 0xFFFF'FFFFU));
        case FaultKind::kBulkSize:
            return fail(state, Fault::kMisaligned, code, op.instruction, fault.lane,
                        fmt::format("{} copies {} bytes, which is not a multiple of 16", words, fault.address));
        case FaultKind::kMisaligned:
            return fail(state, Fault::kMisaligned, code, op.instruction, fault.lane,
                        fmt::format("{}, which is not a multiple of {}", access, fault.bytes));
        case FaultKind::kShared:
            return fail(state, Fault::kOutOfBounds, code, op.instruction, fault.lane,
                        fmt::format("{} of {} bytes of shared memory", access, state.warp.shared_bytes));
        case FaultKind::kLocal:
            return fail(state, Fault::kOutOfBounds, code, op.instruction, fault.lane,
                        fmt::format("{} of {} bytes of local memory", access, local_bytes_));
        default:
            break;
    }
    const auto near = parts_.memory->nearest(fault.address);
    std::string where = "; no memory is allocated";
    if (near) {
        const std::uint64_t size = near->end - near->begin;
        where = fault.address >= near->end
                    ? fmt::format(", {} bytes beyond an allocation of {} bytes", fault.address - near->end, size)
                : fault.address < near->begin
                    ? fmt::format(", {} bytes before an allocation of {} bytes", near->begin - fault.address, size)
                    : fmt::format(", over the end of an allocation of {} bytes", size);
    }
    return fail(state, Fault::kOutOfBounds, code, op.instruction, fault.lane, access + where);
}

}  // namespace kymo::gpu::ptx
