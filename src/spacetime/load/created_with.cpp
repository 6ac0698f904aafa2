#include "spacetime/load/created_with.h"

namespace kymo::spacetime {
namespace {

// More than any processor has: files are not trusted.
constexpr std::size_t kMostRegisters = 128;
constexpr std::size_t kMostFloatingBytes = 4096;

void set_callers(const recording::Stream& row, CreatedWith& state) {
    state.is_callers = true;
    state.program_counter = row.caller_pc;
    state.stack_pointer = row.caller_stack_pointer;
    for (std::size_t i = 0; i + 1 < row.caller_registers.size() && i < 2 * kMostRegisters; i += 2) {
        state.registers.emplace_back(row.caller_registers[i], row.caller_registers[i + 1]);
    }
}

void set_monitors(const recording::Stream& row, CreatedWith& state) {
    const std::size_t general = row.registers.size() - 1;
    state.program_counter = row.registers[general];
    state.stack_pointer = row.stack_pointer;
    for (std::size_t i = 0; i < general && i < kMostRegisters; ++i) {
        state.registers.emplace_back(i, row.registers[i]);
    }
}

}  // namespace

std::optional<CreatedWith> created_with(const recording::Stream& row, std::uint16_t machine) {
    if (row.registers.empty()) {
        return std::nullopt;
    }
    CreatedWith state;
    state.machine = machine;
    state.blocked_signals = row.blocked_signals;
    state.floating = std::string(row.float_registers.substr(0, kMostFloatingBytes));
    if (row.caller_pc != 0) {
        set_callers(row, state);
    } else {
        set_monitors(row, state);
    }
    return state;
}

}  // namespace kymo::spacetime
