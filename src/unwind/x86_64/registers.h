// x86-64: the registers used in unwinding, by DWARF number (System V ABI, AMD64 supplement, figure 3.36).
#pragma once

#include <array>
#include <cstdint>

namespace kymo::unwind::x86_64 {

enum Register : unsigned {
    kRax = 0,
    kRdx = 1,
    kRcx = 2,
    kRbx = 3,
    kRsi = 4,
    kRdi = 5,
    kRbp = 6,
    kRsp = 7,
    kR8 = 8,
    kR9 = 9,
    kR10 = 10,
    kR11 = 11,
    kR12 = 12,
    kR13 = 13,
    kR14 = 14,
    kR15 = 15,
    kReturnAddress = 16,
};

inline constexpr unsigned kGeneralRegisters = 16;
inline constexpr unsigned kRuleRegisters = 17;  // with the return address column

// What a function may use below its stack pointer without moving it (AMD64 supplement, section 3.2.2); call-frame
// information may refer to it.
inline constexpr std::uint64_t kRedZone = 128;

struct Registers {
    std::array<std::uint64_t, kGeneralRegisters> general{};  // in DWARF order
    std::uint64_t pc = 0;

    std::uint64_t sp() const { return general[kRsp]; }
    void set_sp(std::uint64_t value) { general[kRsp] = value; }
};

// The registers that a function must preserve, and that are therefore known in the frames above it, in the order
// of the rule word's fields. The others are known only in a frame that was interrupted.
inline constexpr std::array<unsigned, 6> kPreserved = {kRbp, kRbx, kR12, kR13, kR14, kR15};

}  // namespace kymo::unwind::x86_64
