// Bytes that a file keeps compressed by zlib (RFC 1950), as debug sections from compilers' -gz.
//
// Contract: as for describe.h: nothing is allocated but pages, errno is kept, the file is read with pread.
#pragma once

#include "image/raw_file.h"

#include <cstdint>
#include <span>

namespace kymo::image {

// Decompresses the file's bytes from `offset` to `offset` + `size` into `out`. False, with `out` in any state:
// they do not contain exactly out.size() bytes, or memory is refused. Uses 64 KiB of pages while it runs; some 300
// MB/s.
bool inflate_from_file(const RawFile& file, std::uint64_t offset, std::uint64_t size, std::span<std::uint8_t> out);

}  // namespace kymo::image
