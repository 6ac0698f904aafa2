// Error messages for invalid behaviour of a kernel.
#include "gpu/ptx/execute/cta_runner.h"
#include "gpu/ptx/parse/instruction_words.h"
#include "gpu/ptx/readable_name.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

std::string triple(const Dim3& dim) {
    return fmt::format("{},{},{}", dim.x, dim.y, dim.z);
}

}  // namespace

std::string CtaRunner::place_of(const Compiled& code, std::uint32_t instruction) const {
    const Function& function = *code.function;
    return instruction < function.instructions.size() ? parts_.module->where(function.instructions[instruction].place)
                                                      : parts_.module->name;
}

bool CtaRunner::fail(const Strand& state, Fault fault, const Compiled& code, std::uint32_t instruction, unsigned lane,
                     const std::string& what) {
    const Dim3& block = parts_.launch.block;
    const std::uint64_t thread = std::uint64_t{state.warp.number} * kWarpLanes + lane;
    const Dim3 at{static_cast<std::uint32_t>(thread % block.x),
                  static_cast<std::uint32_t>(thread / block.x % block.y),
                  static_cast<std::uint32_t>(thread / (std::uint64_t{block.x} * block.y))};
    failure_.fault = fault;
    failure_.error = {ErrorKind::kMalformed,
                      fmt::format("{}: in {}: {} (CTA {} thread {})", place_of(code, instruction),
                                  readable_name(code.function->name), what, triple(cta_), triple(at)),
                      "mend the kernel, or what it was given"};
    return false;
}

// Why a strand cannot continue.
std::string CtaRunner::standstill(const Strand& state) const {
    const auto words = [&](const Compiled& code, std::uint32_t instruction) {
        return words_of(*parts_.module, code.function->instructions[instruction]);
    };
    const std::uint32_t number = state.warp.number;
    switch (state.state) {
        case State::kWaiting:
            return fmt::format("warp {} waits at barrier {}, which never opens", number, state.barrier);
        case State::kPolling:
            return fmt::format("warp {} waits at an mbarrier whose phase never ends", number);
        case State::kParked: {
            const Compiled& code = *state.frames.back().code;
            return fmt::format("lanes 0x{:x} of warp {} wait at {} for lanes 0x{:x}, which never come", state.lanes(),
                               number, words(code, code.ops[state.resume].instruction),
                               state.awaited & elsewhere(state));
        }
        default:
            break;
    }
    const std::string who = fmt::format("lanes 0x{:x} of warp {}", state.lanes(), number);
    if (state.read.code == nullptr) {
        return who + " loop forever";
    }
    const std::string_view space = state.read.space == StateSpace::kNone ? "" : name(state.read.space);
    return fmt::format("{} wait forever: {} finds {} at 0x{:x}{}{}", who,
                       words(*state.read.code, state.read.instruction), state.read.value, state.read.address,
                       space.empty() ? "" : " of ", space.empty() ? "" : std::string(space) + " memory");
}

// No strand of the CTA can continue: reports those that repeat themselves first, then those that wait.
bool CtaRunner::fail_stuck() {
    constexpr std::size_t kMostTold = 4;
    std::vector<const Strand*> still;
    for (const Strand& state : strands_) {
        if (state.state != State::kDone) {
            still.push_back(&state);
        }
    }
    std::stable_partition(still.begin(), still.end(),
                          [](const Strand* state) { return state->state == State::kReady; });
    const Strand& first = *still.front();
    const bool spins = first.state == State::kReady;
    std::string told;
    for (std::size_t i = 0; i < still.size() && i < kMostTold; ++i) {
        told += (i == 0 ? "" : "; ") + standstill(*still[i]);
    }
    told += still.size() > kMostTold ? fmt::format("; and {} more", still.size() - kMostTold) : "";
    const Dim3& grid = parts_.launch.grid;
    const std::uint64_t number = (std::uint64_t{cta_.z} * grid.y + cta_.y) * grid.x + cta_.x;
    const std::uint64_t later = grid.count() - number - 1;
    told += !spins ? ""
            : later == 0
                ? "; no thread changes it any more"
                : fmt::format("; no thread of this CTA changes it, and the {} CTAs after it start only when it ends",
                              later);
    const Frame& frame = first.frames.back();
    const bool has_read = spins && first.read.code != nullptr;
    const Block* const waits = spins ? nullptr : first.reduction;
    const std::uint32_t instruction = has_read                        ? first.read.instruction
                                      : waits != nullptr              ? waits->instruction
                                      : first.state == State::kParked ? frame.code->ops[first.resume].instruction
                                      : !first.levels.empty() && spins
                                          ? frame.code->blocks[first.levels.back().block].instruction
                                          : 0;
    const std::uint32_t lanes = first.lanes() != 0 ? first.lanes() : first.launched;
    fail(first, Fault::kStuck, has_read ? *first.read.code : *frame.code, instruction,
         static_cast<unsigned>(std::countr_zero(lanes)), told);
    if (spins && later != 0) {
        failure_.error.next = "let CTAs wait for earlier ones only: they are executed one after another";
    }
    return false;
}

bool CtaRunner::fail_memory(const Strand& state, const Compiled& code, const Op& op) {
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
