// The fixed bytes of a bundle (docs/recording-format.md, "Bundles"). All integers are little-endian.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kymo::recording {

inline constexpr char kBundleMagic[8] = {'K', 'Y', 'M', 'O', 'R', 'E', 'C', 'S'};
inline constexpr std::uint16_t kBundleMajor = 1;
inline constexpr std::uint32_t kMemberMagic = 0x4D454D4B;  // "KMEM"

struct BundleHeader {
    char magic[8];
    std::uint16_t major;
    std::uint16_t minor;
    std::uint32_t header_bytes;  // the first member begins here
    std::uint32_t fixed_crc;     // CRC-32C of everything above
    std::uint32_t reserved0;
    std::uint64_t used_bytes;  // end of the last member; what is behind it is not in use
    std::uint8_t reserved1[32];
};
static_assert(sizeof(BundleHeader) == 64);
static_assert(offsetof(BundleHeader, used_bytes) == 24);

struct MemberHeader {
    std::uint32_t magic;
    std::uint32_t header_bytes;  // with the name and its padding
    std::uint64_t bytes;         // of the file behind it
    std::uint32_t name_bytes;
    std::uint32_t crc;  // CRC-32C of the 20 bytes above and the name
};
static_assert(sizeof(MemberHeader) == 24);

}  // namespace kymo::recording
