// The registers of a call on x86-64, by their DWARF numbers (System V ABI supplement, 3.2.1 and figure 3.36), as bits
// where several are meant: for what is read from x86-64 code alone.
#pragma once

#include <cstdint>

namespace kymo::program {

inline constexpr std::uint8_t kStackPointer = 7;
inline constexpr std::uint8_t kResult = 0;          // also of vectors
inline constexpr std::uint8_t kFirstArgument = 5;   // rdi
inline constexpr std::uint8_t kSecondArgument = 4;  // rsi
// rdi, rsi, rdx, rcx, r8, r9; rbx, rbp, rsp, r12 to r15.
inline constexpr std::uint32_t kArguments = 1U << 5 | 1U << 4 | 1U << 1 | 1U << 2 | 1U << 8 | 1U << 9;
inline constexpr std::uint32_t kVectorArguments = 0xff;
inline constexpr std::uint32_t kResultPointers = 1U << kFirstArgument | 1U << kSecondArgument;
inline constexpr std::uint32_t kKept = 1U << 3 | 1U << 6 | 1U << kStackPointer | 0xfU << 12;

// Of the registers that a call instruction writes, those that are changed behind the callee's return, which sets the
// stack pointer back.
constexpr std::uint32_t behind_return(std::uint32_t writes) {
    return writes & ~(1U << kStackPointer);
}

}  // namespace kymo::program
