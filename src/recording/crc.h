// CRC-32C over whole chunks: the same function as base/checksum.h, 8 bytes a step (about 4 GB/s and more
// with the processor's own instruction, above 1 GB/s without), for the reader and for packing.
// Slicing by 8: Kounavis and Berry, 2005.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kymo::recording {

std::uint32_t chunk_crc(std::span<const std::uint8_t> bytes);

// The two variants, for tests. crc_by_instruction: only if has_crc_instruction().
bool has_crc_instruction();
std::uint32_t crc_by_instruction(std::span<const std::uint8_t> bytes);
std::uint32_t crc_by_tables(std::span<const std::uint8_t> bytes);

}  // namespace kymo::recording
