// Registers of a processor whose calls leave the return address in a register: 32 general ones, by DWARF number.
#pragma once

#include <array>
#include <cstdint>

namespace kymo::unwind::link_register {

inline constexpr unsigned kGeneralRegisters = 32;

// `Numbers`: an architecture's (its registers.h), by DWARF number.
template <class Numbers>
struct Registers {
    std::array<std::uint64_t, kGeneralRegisters> general{};
    std::uint64_t pc = 0;

    std::uint64_t sp() const { return general[Numbers::kStackPointer]; }
    void set_sp(std::uint64_t value) { general[Numbers::kStackPointer] = value; }
};

}  // namespace kymo::unwind::link_register
