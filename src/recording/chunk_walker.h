// From chunk to chunk through a recording file, in pieces, whatever the bytes are. Used by scanning and
// packing; not for consumers.
//
// Files as written: chunks begin on the grid (header_bytes + k × chunk_bytes), so the walker skips a damaged one
// to the next grid point. Packed files: chunks follow each other, their headers carry a checksum, and the walker
// skips a damaged header to the next one whose checksum is right. Either way each byte is read a bounded number
// of times, and holes are skipped: the file's space on disk bounds the work, not its size, on file systems that
// report holes (SEEK_DATA).
#pragma once

#include "base/result.h"
#include "recording/reader.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kymo::recording {

struct Chunk {
    std::uint64_t offset = 0;               // of the chunk's header
    StreamId stream{0};                     // of its first row
    std::span<const std::uint8_t> payload;  // committed rows; valid until the next step
    bool is_whole = true;                   // whether all of them are there

    std::uint64_t payload_offset() const { return offset + sizeof(ChunkHeader); }
};

// Adds to a report, joining adjacent damage of one kind.
void add_damage(ScanReport& report, std::uint64_t offset, std::uint64_t bytes, const char* what);

class ChunkWalker {
  public:
    // Both must outlive the walker. Damage found on the way is added to the report.
    ChunkWalker(const File& file, ScanReport& report) : file_(file), report_(report) {}

    // False: no more chunks. Error: the system cannot read the file. If a payload is longer than `most` bytes
    // only these are read, and its checksum is not verified.
    Result<bool> next(Chunk& chunk, std::size_t most = kMaxChunkBytes);

  private:
    // Up to `bytes` bytes at `offset`; fewer at the file's end. Empty with error_ set: cannot be read.
    std::span<const std::uint8_t> look(std::uint64_t offset, std::size_t bytes);
    bool begin();
    bool is_sound(const ChunkHeader& header) const;
    std::uint64_t behind_damage(std::uint64_t offset);
    std::uint64_t next_data(std::uint64_t offset) const;
    std::uint64_t behind_hole(std::uint64_t offset) const;
    bool has_hole(std::uint64_t offset, std::uint64_t bytes);
    Error read_error() const;

    const File& file_;
    File::Reading reading_{file_};
    ScanReport& report_;
    std::vector<std::uint8_t> buffer_;
    std::uint64_t buffer_offset_ = 0;
    std::size_t buffer_filled_ = 0;
    std::uint64_t at_ = 0;
    std::uint64_t end_ = 0;
    std::uint64_t size_ = 0;        // of the file
    std::uint64_t data_begin_ = 0;  // no hole from here
    std::uint64_t data_end_ = 0;    // to here
    int error_ = 0;
    bool begun_ = false;
    std::size_t read_ahead_ = 0;
    bool finished_ = false;  // the file has no writer any more: it may be read ahead
};

}  // namespace kymo::recording
