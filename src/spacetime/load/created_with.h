// The state in which a thread was created: what its creator had in its registers, and which signals it blocked.
//
// Registers are those of the function that called pthread_create, as far as a call preserves them. Recordings of
// monitors that did not keep those have all registers instead, but as they were inside the monitor's library.
#pragma once

#include "recording/tables.h"
#include "team/members.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kymo::spacetime {

struct CreatedWith {
    std::uint16_t machine = 0;  // ELF e_machine: says what registers and floating state mean
    bool is_callers = false;    // registers, program counter and stack pointer; else the monitor's
    std::vector<std::pair<std::uint64_t, std::uint64_t>> registers;  // DWARF number, value
    std::uint64_t program_counter = 0;
    std::uint64_t stack_pointer = 0;
    std::uint64_t blocked_signals = 0;  // bit n − 1: signal n
    std::string floating;               // as recording::Stream::float_registers
};
KYMO_MEMBERS(CreatedWith, machine, is_callers, registers, program_counter, stack_pointer, blocked_signals, floating)

// None where the creator was not measured: then nothing is known.
std::optional<CreatedWith> created_with(const recording::Stream& row, std::uint16_t machine);

}  // namespace kymo::spacetime
