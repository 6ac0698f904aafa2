// Traces what a warp executes, as the models need it: machine-like instructions, and the addresses of their
// accesses.
#include "gpu/ptx/execute/cta_runner.h"

#include <algorithm>
#include <array>
#include <bit>

namespace kymo::gpu::ptx {

// The block as the models see it.
void CtaRunner::record(Strand& state, const Compiled& code, const Block& block, std::uint32_t mask) {
    if (state.values) {
        record_values(state, code, block, mask);
    }
    const auto number = static_cast<std::size_t>(code.function - parts_.module->functions.data());
    const std::uint32_t begin = parts_.program_begin[number];
    WarpEncoder& encoder = *state.encoder;
    std::array<std::uint64_t, kWarpLanes> active;
    for (std::uint32_t i = block.machine_first; i < block.machine_end; ++i) {
        const MachineInstruction& machine = code.machine[i];
        if (machine.is_bulk && machine.log != kNoLog) {
            record_bulk(encoder, begin + machine.index, machine.log);
            continue;
        }
        if (machine.log == kNoLog) {
            std::uint32_t last = i;
            while (last + 1 < block.machine_end && code.machine[last + 1].log == kNoLog) {
                ++last;  // numbered as they follow one another
            }
            encoder.add_plain(begin + machine.index, last - i + 1, mask);
            i = last;
            continue;
        }
        const LoggedAccess& log = log_[machine.log];
        if (!machine.has_addresses || log.mask == 0) {
            encoder.add(begin + machine.index, log.mask, {});
            continue;
        }
        if (log.mask == kAllLanes) {
            encoder.add(begin + machine.index, log.mask, {log.address, kWarpLanes});
            continue;
        }
        std::size_t count = 0;
        for (std::uint32_t left = log.mask; left != 0; left &= left - 1) {
            active[count++] = log.address[std::countr_zero(left)];
        }
        encoder.add(begin + machine.index, log.mask, {active.data(), count});
    }
}

// What the block's instructions have read and written.
void CtaRunner::record_values(Strand& state, const Compiled& code, const Block& block, std::uint32_t mask) {
    const auto& numbers =
        parts_.operands->numbers[static_cast<std::size_t>(code.function - parts_.module->functions.data())];
    state.held.look(state.warp, code, block.uses, false, mask);
    HeldOperands::Lanes active;
    for (std::uint32_t i = block.machine_first; i < block.machine_end; ++i) {
        const MachineInstruction& machine = code.machine[i];
        const std::uint32_t lanes = machine.log == kNoLog ? mask : log_[machine.log].mask;
        const UseRange uses = uses_of(code, block, machine);
        for (std::uint32_t use = uses.first; use < uses.first + uses.count && lanes != 0; ++use) {
            if (numbers[use] == OperandPlan::kNone) {
                continue;
            }
            std::size_t count = 0;
            for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
                active[count++] = state.held.of(use)[static_cast<unsigned>(std::countr_zero(left))];
            }
            state.values->add(numbers[use], lanes, {active.data(), count});
        }
    }
}

// A copy in pieces as large as a warp's access can be: 16 bytes a lane.
void CtaRunner::record_bulk(WarpEncoder& encoder, std::uint32_t index, std::uint16_t log) const {
    constexpr std::uint64_t kPiece = 16;
    std::array<std::uint64_t, kWarpLanes> lanes;
    for (std::uint32_t left = log_[log].mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        std::uint64_t address = log_[log].address[lane];
        for (std::uint64_t pieces = log_[log + 1U].address[lane] / kPiece; pieces != 0;) {
            const std::uint64_t now = std::min<std::uint64_t>(pieces, kWarpLanes);
            for (std::uint64_t i = 0; i < now; ++i, address += kPiece) {
                lanes[i] = address;
            }
            encoder.add(index, now == kWarpLanes ? kAllLanes : (1U << now) - 1U, {lanes.data(), now});
            pieces -= now;
        }
    }
}

}  // namespace kymo::gpu::ptx
