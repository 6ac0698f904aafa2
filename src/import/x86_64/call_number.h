// x86-64: the number of a system call, from the code that makes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace kymo::import::x86_64 {

// DWARF numbers of the registers with the first four arguments: rdi, rsi, rdx, r10.
inline constexpr std::array<unsigned, 4> kCallArguments = {5, 4, 1, 10};

// As import::number_of_call(). Looks backwards for what last wrote eax: a constant, or zero by xor.
inline std::optional<std::uint64_t> number_of_call(std::span<const std::uint8_t> code) {
    constexpr std::uint64_t kMostNumbers = 1024;
    constexpr std::uint8_t kReturn = 0xc3;
    constexpr std::uint8_t kPadding = 0xcc;
    if (code.size() < 2 || code[code.size() - 2] != 0x0f || code[code.size() - 1] != 0x05) {
        return std::nullopt;
    }
    const std::size_t end = code.size() - 2;
    for (std::size_t at = end; at-- > 0;) {
        // With a prefix of other registers than the first eight it is no instruction on eax.
        const std::uint8_t prefix = at > 0 ? code[at - 1] : 0;
        const bool is_other = prefix > 0x40 && prefix <= 0x4f && prefix != 0x48;
        if (code[at] == 0xb8 && at + 5 <= end && !is_other) {  // mov $number, %eax
            std::uint64_t number = 0;
            for (std::size_t i = 4; i > 0; --i) {
                number = number << 8U | code[at + i];
            }
            if (number < kMostNumbers) {
                return number;
            }
        }
        if (at + 2 <= end && !is_other) {
            if ((code[at] == 0x31 || code[at] == 0x33) && code[at + 1] == 0xc0) {  // xor %eax, %eax
                return 0;
            }
            if (code[at] == 0x89 && (code[at + 1] & 0xc7U) == 0xc0) {  // mov %…, %eax: from a register
                return std::nullopt;
            }
        }
        if (code[at] == kReturn || code[at] == kPadding) {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace kymo::import::x86_64
