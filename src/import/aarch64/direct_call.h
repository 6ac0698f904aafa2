// aarch64: calls that name the called function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace kymo::import::aarch64 {

inline constexpr std::size_t kCallBytes = 4;
inline constexpr std::size_t kCodeStep = 4;  // an instruction begins at each multiple of this

// From the end of `code`, whose last instruction is the call, to the function; nullopt: it is no such call.
inline std::optional<std::int64_t> call_distance(std::span<const std::uint8_t> code) {
    constexpr std::uint32_t kOpcode = 0xfc00'0000;
    constexpr std::uint32_t kCall = 0x9400'0000;  // bl
    if (code.size() < kCallBytes) {
        return std::nullopt;
    }
    std::uint32_t word = 0;
    std::memcpy(&word, code.data() + code.size() - sizeof word, sizeof word);
    if ((word & kOpcode) != kCall) {
        return std::nullopt;
    }
    // 26 bits with a sign, in instructions, from the call's own address.
    const auto instructions = static_cast<std::int32_t>(word << 6U) >> 6;
    return (std::int64_t{instructions} - 1) * std::int64_t{kCallBytes};
}

}  // namespace kymo::import::aarch64
