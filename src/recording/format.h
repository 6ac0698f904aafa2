// The fixed bytes of a recording file as constants and structs (docs/recording-format.md).
// Shared by the writer and the reader; usable in the monitor. All integers are little-endian, and the
// structs are laid over file bytes, so this builds for little-endian machines only.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace kymo::recording {

static_assert(std::endian::native == std::endian::little, "recording files are read and written in place");

// A reader refuses a higher major version and accepts a higher minor one.
inline constexpr std::uint16_t kMajorVersion = 1;
inline constexpr std::uint16_t kMinorVersion = 0;

inline constexpr char kFileMagic[8] = {'K', 'Y', 'M', 'O', 'R', 'E', 'C', '\n'};
inline constexpr const char* kFileSuffix = ".krec";     // of every file of rows in a recording's folder
inline constexpr const char* kImagesFolder = "images";  // in it: copies of programs that only its processes could see

inline constexpr std::uint32_t kChunkMagic = 0x4B48434B;  // "KCHK"

inline constexpr std::size_t kHeaderBytes = 4096;  // what the writer makes
inline constexpr std::size_t kGridBytes =
    8 * 1024;  // chunks begin on this grid, and a stream's first chunk is one step
inline constexpr std::size_t kChunkBytes = 64 * 1024;  // the usual chunk, once a stream has more than a few rows
inline constexpr std::size_t kProducerBytes = 64;

// Bounds that a reader may rely on (and enforces).
inline constexpr std::size_t kMinHeaderBytes = 128;
inline constexpr std::size_t kMaxHeaderBytes = 1024 * 1024;
inline constexpr std::size_t kMinGridBytes = 1024;
inline constexpr std::size_t kMaxChunkBytes = 8 * 1024 * 1024;  // a row that needs a larger chunk is refused
inline constexpr std::size_t kMaxTables = 1024;                 // tables in one file
inline constexpr std::size_t kMaxColumns = 256;                 // columns of one table
inline constexpr std::size_t kMaxNameBytes = 255;               // a table's, column's or unit's name

// Tables of the container itself.
inline constexpr std::uint32_t kSchemaTable = 0;
inline constexpr std::uint32_t kStreamTable = 1;

// The unit and origin of a file's times.
enum class ClockDomain : std::uint8_t {
    kMonotonic = 1,  // nanoseconds of the host's CLOCK_MONOTONIC
    kModelled = 2,   // nanoseconds of a model's own clock
};

struct FileHeader {
    char magic[8];
    std::uint16_t major;
    std::uint16_t minor;
    std::uint32_t header_bytes;  // the first chunk begins here
    std::uint16_t machine;       // ELF e_machine of the program
    std::uint8_t clock;          // ClockDomain
    std::uint8_t reserved0;
    std::uint32_t chunk_bytes;  // the grid
    std::uint32_t pid;
    std::uint32_t producer_bytes;
    char producer[kProducerBytes];  // padded with NUL
    std::uint32_t fixed_crc;        // CRC-32C of everything above
    std::uint32_t reserved1;
    // Fields that change while the file is written.
    std::uint64_t used_bytes;  // end of the last chunk handed out; atomic
    std::uint32_t closed;      // 1: the writer ended regularly
    std::uint32_t packed;      // 1: chunks are tight and carry checksums; 2: copied so while a program still wrote it
    std::uint64_t freed_bytes;  // of used_bytes, given back to the file system when old rows were condensed; atomic
};
static_assert(sizeof(FileHeader) == 128);
static_assert(offsetof(FileHeader, fixed_crc) == 96);
static_assert(offsetof(FileHeader, used_bytes) == 104);
static_assert(offsetof(FileHeader, freed_bytes) == 120);

inline constexpr std::uint32_t kPackedWhileWritten = 2;  // FileHeader::packed

struct ChunkHeader {
    std::uint32_t magic;
    std::uint32_t capacity;     // of the whole chunk, this header included; a multiple of 8
    std::uint32_t committed;    // bytes of payload that are whole rows: the commit word
    std::uint32_t stream;       // StreamId of the first row
    std::uint32_t payload_crc;  // CRC-32C of the committed payload, in packed files
    std::uint32_t reserved0;    // ignored by readers: earlier writers kept a link here
    std::uint32_t condensed;    // 1: its rows were condensed, and no stream goes on in it (history/condense_file.h)
    std::uint32_t header_crc;   // CRC-32C of the 28 bytes above, in packed files
};
static_assert(sizeof(ChunkHeader) == 32);
static_assert(offsetof(ChunkHeader, header_crc) == 28);

// A bundle: many files in one (bundle.h).
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
