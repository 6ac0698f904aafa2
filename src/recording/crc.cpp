#include "recording/crc.h"

#include "base/checksum.h"
#include "base/native.h"

#include <array>
#include <cstring>

namespace kymo::recording {

namespace {

// kTables[k][b]: the checksum's change by byte b followed by k zero bytes.
constexpr std::array<std::array<std::uint32_t, 256>, 8> kTables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> tables{};
    tables[0] = kymo::detail::kCrc32cTable;
    for (std::size_t k = 1; k < 8; ++k) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8U) ^ tables[0][before & 0xFFU];
        }
    }
    return tables;
}();

}  // namespace

std::uint32_t crc_by_tables(std::span<const std::uint8_t> bytes) {
    std::uint32_t crc = 0xFFFFFFFFU;
    const std::uint8_t* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; left -= 8, at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        word ^= crc;
        crc = 0;
        for (unsigned i = 0; i < 8; ++i) {
            crc ^= kTables[7 - i][(word >> (8 * i)) & 0xFFU];
        }
    }
    return crc32c(at, left, ~crc);
}

bool has_crc_instruction() {
    return processor::has_crc32c();
}

std::uint32_t crc_by_instruction(std::span<const std::uint8_t> bytes) {
    const std::size_t words = bytes.size() / 8;
    const std::uint32_t crc = processor::crc32c_words(0xFFFFFFFFU, bytes.data(), words);
    return crc32c(bytes.data() + 8 * words, bytes.size() % 8, ~crc);
}

std::uint32_t chunk_crc(std::span<const std::uint8_t> bytes) {
    static const bool by_instruction = has_crc_instruction();
    return by_instruction ? crc_by_instruction(bytes) : crc_by_tables(bytes);
}

}  // namespace kymo::recording
