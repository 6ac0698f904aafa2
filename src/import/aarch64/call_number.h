// aarch64: the number of a system call, from the code that makes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace kymo::import::aarch64 {

// The registers with the first four arguments.
inline constexpr std::array<unsigned, 4> kCallArguments = {0, 1, 2, 3};

// As import::number_of_call(). Looks backwards for the constant in x8.
inline std::optional<std::uint64_t> number_of_call(std::span<const std::uint8_t> code) {
    constexpr std::uint32_t kCall = 0xd4000001;
    constexpr std::uint32_t kReturn = 0xd65f03c0;
    const auto word = [&](std::size_t at) {
        std::uint32_t value = 0;
        std::memcpy(&value, code.data() + at, sizeof value);
        return value;
    };
    if (code.size() < 4 || word(code.size() - 4) != kCall) {
        return std::nullopt;
    }
    for (std::size_t at = code.size() - 4; at >= 4;) {
        at -= 4;
        const std::uint32_t made = word(at);
        if ((made & 0x7fe0'001fU) == 0x5280'0008U) {  // mov x8 or w8, #number
            return made >> 5U & 0xffffU;
        }
        if (made == kReturn || (made & 0x1fU) == 8) {  // what else may write x8
            return std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace kymo::import::aarch64
