#include "cells/reader/switched.h"

#include "base/checksum.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace kymo::cells {
namespace {

static_assert(kTaskCells == 128 && sizeof(SegmentHeader::switched_off) == 16);

CellBits bits_of(const std::uint64_t (&words)[2]) {
    return CellBits(words[1]) << 64U | CellBits(words[0]);
}

void to_words(const CellBits& bits, std::uint64_t (&words)[2]) {
    const CellBits low(~std::uint64_t{0});
    words[0] = (bits & low).to_ullong();
    words[1] = (bits >> 64U).to_ullong();
}

bool is_segment(const SegmentHeader& header) {
    return std::memcmp(header.magic, kMagic, sizeof kMagic) == 0 && header.major == kMajorVersion &&
           header.minor >= 1 && header.fixed_crc == crc32c(&header, offsetof(SegmentHeader, fixed_crc));
}

}  // namespace

Result<CellBits> switch_cells(const std::filesystem::path& segment, const CellBits& meant, const CellBits& off) {
    const int file = open(segment.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) {
        return Error{errno == ENOENT ? ErrorKind::kNotFound : ErrorKind::kPermission,
                     "cannot switch metrics in " + segment.string() + ": " + std::strerror(errno), ""};
    }
    SegmentHeader header{};
    bool good = pread(file, &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header) && is_segment(header);
    if (good) {
        const CellBits before = bits_of(header.switched_off);
        const CellBits wanted = (before & ~meant) | (off & meant);
        if (wanted != before) {
            std::uint64_t words[2];
            to_words(wanted, words);
            good = pwrite(file, words, sizeof words, offsetof(SegmentHeader, switched_off)) ==
                   static_cast<ssize_t>(sizeof words);
        }
    }
    close(file);
    if (!good) {
        return Error{ErrorKind::kMalformed, segment.string() + " is not a segment whose metrics can be switched", ""};
    }
    return bits_of(header.obeyed);
}

}  // namespace kymo::cells
