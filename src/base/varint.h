// Variable-length integers: 7 bits a byte, least significant first (LEB128); signed values are
// zigzag-mapped first. Usable in the monitor.
//
// Encoding writes at most kMaxVarintBytes. Decoding never reads at or beyond `end` and rejects
// values longer than 64 bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kymo {

inline constexpr std::size_t kMaxVarintBytes = 10;

// Writes `value` at `out`, which must have kMaxVarintBytes of room; returns the end of what was written.
inline std::uint8_t* encode_varint(std::uint8_t* out, std::uint64_t value) {
    while (value >= 0x80U) {
        *out++ = static_cast<std::uint8_t>(value | 0x80U);
        value >>= 7U;
    }
    *out++ = static_cast<std::uint8_t>(value);
    return out;
}

constexpr std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}

constexpr std::int64_t unzigzag(std::uint64_t value) {
    return static_cast<std::int64_t>((value >> 1U) ^ (~(value & 1U) + 1U));
}

// Reads one value from [*cursor, end) and moves *cursor behind it. False, with *cursor unchanged,
// when the bytes end early or the value does not fit 64 bits.
inline bool decode_varint(const std::uint8_t** cursor, const std::uint8_t* end, std::uint64_t* value) {
    const std::uint8_t* at = *cursor;
    std::uint64_t result = 0;
    for (unsigned shift = 0; at != end && shift < 64; shift += 7) {
        const std::uint64_t byte = *at++;
        if (shift == 63 && byte > 1) {
            return false;
        }
        result |= (byte & 0x7FU) << shift;
        if (byte < 0x80U) {
            *cursor = at;
            *value = result;
            return true;
        }
    }
    return false;
}

}  // namespace kymo
