// No fuzzer guesses a CRC: checksums of a recording file that are right for what was changed in it.
#pragma once

#include "base/checksum.h"
#include "recording/format.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace kymo::testing {

// Makes the checksums of header and chunks right, as far as the chunks can be followed.
inline void mend(std::vector<std::uint8_t>& bytes) {
    recording::FileHeader header;
    if (bytes.size() < sizeof header) {
        return;
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    header.fixed_crc = crc32c(&header, offsetof(recording::FileHeader, fixed_crc));
    std::memcpy(bytes.data(), &header, sizeof header);
    for (std::uint64_t at = header.header_bytes; at + sizeof(recording::ChunkHeader) <= bytes.size();) {
        recording::ChunkHeader chunk;
        std::memcpy(&chunk, bytes.data() + at, sizeof chunk);
        if (chunk.magic != recording::kChunkMagic || chunk.capacity < sizeof chunk ||
            chunk.capacity > bytes.size() - at || chunk.committed > chunk.capacity - sizeof chunk) {
            return;
        }
        chunk.payload_crc = crc32c(bytes.data() + at + sizeof chunk, chunk.committed);
        chunk.header_crc = crc32c(&chunk, offsetof(recording::ChunkHeader, header_crc));
        std::memcpy(bytes.data() + at, &chunk, sizeof chunk);
        at += chunk.capacity;
    }
}

}  // namespace kymo::testing
