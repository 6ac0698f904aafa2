// Keys as text: five printable characters for four bytes (ZeroMQ RFC 32).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kymo::ring {

using Key = std::array<std::uint8_t, 32>;
inline constexpr std::size_t kKeyText = 40;  // characters

std::string to_z85(const Key& key);
// Nothing: not the text of 32 bytes.
std::optional<Key> parse_z85(std::string_view text);

}  // namespace kymo::ring
