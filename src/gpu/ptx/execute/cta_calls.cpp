// Calls of functions by name and through pointers, and returns from them.
#include "gpu/ptx/execute/cta_runner.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

constexpr std::size_t kMostFrames = 4096;

bool takes(const std::vector<Parameter>& formal, const std::vector<Passed>& given) {
    return std::equal(formal.begin(), formal.end(), given.begin(), given.end(),
                      [](const Parameter& wanted, const Passed& one) { return wanted.bytes == one.bytes; });
}

}  // namespace

bool CtaRunner::call(Strand& state, const Block& block, std::uint32_t function, std::uint32_t mask) {
    const Compiled& caller = *state.frames.back().code;
    const Compiled* const callee = parts_.functions[function];
    if (callee == nullptr) {
        return built_in(state, caller, block, mask);
    }
    Frame frame;
    frame.code = callee;
    frame.caller = &block;
    frame.local_at = state.frames.back().local_at + caller.layout.local_bytes;
    if (state.frames.size() >= kMostFrames || frame.local_at + callee->layout.local_bytes > local_bytes_) {
        return fail(state, Fault::kOutOfBounds, caller, block.instruction,
                    static_cast<unsigned>(std::countr_zero(mask)),
                    fmt::format("the stack of {} bytes and {} calls is used up", local_bytes_, kMostFrames));
    }
    frame.memory = std::make_shared<AlignedBytes>(callee->frame_bytes);
    fill(frame, state.warp, false);
    const std::byte* const from = state.warp.parameters;
    const std::uint64_t from_stride = state.warp.parameter_stride;
    state.frames.push_back(std::move(frame));
    enter(state, state.frames.size() - 1);
    if (checker_) {
        checker_->enter(state.warp, *callee, mask, state.warp.local_at);
    }
    const std::vector<Passed>& arguments = caller.passes[block.arguments];
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
            std::memcpy(state.warp.parameters + lane * state.warp.parameter_stride + callee->layout.parameters[i],
                        from + lane * from_stride + arguments[i].at, arguments[i].bytes);
        }
    }
    state.levels.push_back({callee->blocks.empty() ? kNoBlock : 0, kNever, mask, true});
    return true;
}

// The function that the first lane calls, for all lanes that call it; the others execute the block, which contains
// only the call, once more.
bool CtaRunner::call_pointers(Strand& state, const Block& block, std::uint32_t mask) {
    const Compiled& caller = *state.frames.back().code;
    const auto pointer = [&](unsigned lane) {
        std::uint64_t address = 0;
        std::memcpy(&address, state.warp.frame + block.a + std::size_t{8} * lane, sizeof address);
        return address;
    };
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    const std::uint64_t address = pointer(first);
    const std::uint64_t number = (address - kFunctionWindow) / kFunctionStride;
    if (address < kFunctionWindow || address % kFunctionStride != 0 || number >= parts_.functions.size() ||
        parts_.functions[number] == nullptr || parts_.functions[number]->function->is_kernel) {
        return fail(state, Fault::kOutOfBounds, caller, block.instruction, first,
                    fmt::format("calls 0x{:x}, where no function is", address));
    }
    const Function& callee = *parts_.functions[number]->function;
    if (!takes(callee.parameters, caller.passes[block.arguments]) ||
        !takes(callee.returns, caller.passes[block.returned])) {
        return fail(state, Fault::kTrap, caller, block.instruction, first,
                    fmt::format("calls {}, which has other parameters", callee.name));
    }
    std::uint32_t same = 0;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        same |= pointer(lane) == address ? 1U << lane : 0U;
    }
    if (const std::uint32_t rest = mask & ~same; rest != 0) {
        const auto own = static_cast<std::uint32_t>(&block - caller.blocks.data());
        state.levels.push_back({own, block.next, rest, false});
    }
    return call(state, block, static_cast<std::uint32_t>(number), same);
}

void CtaRunner::return_from(Strand& state, std::uint32_t mask) {
    const Frame callee = std::move(state.frames.back());
    state.frames.pop_back();
    if (checker_) {
        checker_->leave(state.warp);
    }
    enter(state, state.frames.size() - 1);
    const Compiled& caller = *state.frames.back().code;
    const std::vector<Passed>& returned = caller.passes[callee.caller->returned];
    for (std::size_t i = 0; i < returned.size(); ++i) {
        for (std::uint32_t left = mask; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(left));
            std::memcpy(state.warp.parameters + lane * state.warp.parameter_stride + returned[i].at,
                        callee.parameters->data() + lane * callee.code->layout.parameter_bytes +
                            callee.code->layout.returns[i],
                        returned[i].bytes);
        }
    }
}

}  // namespace kymo::gpu::ptx
