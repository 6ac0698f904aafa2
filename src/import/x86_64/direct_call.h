// x86-64: calls that name the called function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace kymo::import::x86_64 {

inline constexpr std::size_t kCallBytes = 5;
inline constexpr std::size_t kCodeStep = 1;  // an instruction begins at each multiple of this

// From the end of `code`, whose last instruction is the call, to the function; nullopt: it is no such call.
inline std::optional<std::int64_t> call_distance(std::span<const std::uint8_t> code) {
    constexpr std::uint8_t kCall = 0xe8;
    if (code.size() < kCallBytes || code[code.size() - kCallBytes] != kCall) {
        return std::nullopt;
    }
    std::int32_t distance = 0;
    std::memcpy(&distance, code.data() + code.size() - sizeof distance, sizeof distance);
    return distance;
}

}  // namespace kymo::import::x86_64
