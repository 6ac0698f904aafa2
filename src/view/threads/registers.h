// Registers of the machines that recordings come from, by name: data of a recording, on whatever machine it is read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::view {

// ELF e_machine.
inline constexpr std::uint16_t kMachineX86_64 = 62;

// By DWARF number (System V ABI, AMD64 supplement, figure 3.36): "rbx"; "r5" on machines whose names are not known.
std::string register_name(std::uint16_t machine, std::uint64_t number);
// The number of general registers with names; 0: none on that machine.
std::size_t named_registers(std::uint16_t machine);

// Floating-point control, and the vector registers (Intel SDM volume 1, sections 8.1.5, 10.2).
struct FloatingState {
    std::uint32_t mxcsr = 0;
    std::uint16_t x87_control = 0;
    std::vector<std::array<std::uint8_t, 16>> vectors;  // least significant byte first

    std::string_view rounding() const;  // "nearest", "down", "up", "zero"
    bool flushes_to_zero() const;       // results too small for a normal number
    bool denormals_are_zero() const;    // operands likewise
    std::vector<std::string_view> unmasked_exceptions() const;
};

// Of recording::Stream::float_registers. None: another machine's, or cut off.
std::optional<FloatingState> floating_state(std::uint16_t machine, std::string_view bytes);

// "0x" and 32 digits, the most significant first.
std::string vector_text(const std::array<std::uint8_t, 16>& vector);

// "SIGUSR2", "SIGRTMIN+1" of each bit n − 1, by Linux' numbers on x86-64 and aarch64; "signal 33": the C library's
// own.
std::vector<std::string> signal_names(std::uint64_t mask);

}  // namespace kymo::view
