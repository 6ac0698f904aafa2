// The writing side of a recording: rows of one stream into a FileWriter's chunks. Part of the monitor: no
// malloc, no locks, no stdio, no exceptions.
//
// One StreamWriter a stream, used by one thread at a time. append() encodes a row behind the last one and
// publishes it by storing the chunk's commit word, so that after kill -9 everything but the row in the
// making can be read. A thread that may be interrupted by its own handler must not append outside the
// handler while the handler may append to the same StreamWriter.
//
// A stream's rows are in the file in the order in which they were appended: a running stream takes only
// new chunks, and only a stream's very first chunk may be another's remains. So a StreamId is opened once a
// file.
//
// A row too large for a usual chunk (a long command line) gets a chunk of its own size; one that does not
// fit kMaxChunkBytes either is refused and counted.
//
// Cost: append about 25 ns; taking a chunk up to 100 µs once every 64 KiB (some 3,300 samples), nearly all of it the
// kernel making sixteen pages ready, which as page faults would fall into the measurement instead. A stream's first
// chunk is of two pages: thousands of threads that live at the same time, each with a few samples, take 8 KiB each.
#pragma once

#include "base/ids.h"
#include "recording/delta_bases.h"
#include "recording/encode.h"
#include "recording/file_writer.h"
#include "recording/row_types.h"
#include "recording/schema.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kymo::recording {

class StreamWriter {
  public:
    constexpr StreamWriter() = default;

    // Takes no space until the first row. `file` must outlive this.
    void open(FileWriter& file, StreamId stream);

    // False: not written (no space, row too large, or the file is not open any more); counted in unwritten().
    template <typename Row>
    bool append(const Row& row) {
        return append_record(RowRecord<Row>{row});
    }

    // The stream has ended: the rest of its chunk goes to the next new stream. append() fails from then
    // on, until open().
    void release();

    std::uint64_t unwritten() const { return unwritten_; }
    StreamId stream() const { return stream_; }

    template <typename Record>
    bool append_record(const Record& record);

  private:
    // A stream marker record: table, length 1–5, stream number.
    static constexpr std::size_t kMarkerBytes = 2 + 5;
    // Remains with less room than this are not worth another stream's first rows.
    static constexpr std::size_t kWorthKeeping = 256;

    std::size_t room() const { return static_cast<std::size_t>(end_ - at_); }
    std::uint8_t* write_marker(std::uint8_t* at) const;
    void commit(std::uint8_t* end);
    void enter(ChunkHeader* chunk, bool fresh);
    void leave();
    // Makes room for a record of `kept` bytes in a continued chunk or `fresh` bytes in a new one.
    bool make_room(std::size_t kept, std::size_t fresh);

    template <typename Record>
    static std::size_t record_bytes(const Record& record, const std::uint64_t* bases) {
        const std::size_t body = record.body(bases);
        return varint_bytes(record.number()) + varint_bytes(body) + body;
    }

    FileWriter* file_ = nullptr;
    ChunkHeader* chunk_ = nullptr;
    std::uint8_t* at_ = nullptr;   // behind the last committed row
    std::uint8_t* end_ = nullptr;  // of the chunk
    std::uint32_t generation_ = 0;
    StreamId stream_{0};
    bool first_ = true;         // no chunk yet
    bool small_taken_ = false;  // has taken a new chunk: the next has the usual size
    bool marker_due_ = false;   // the next row needs a stream marker before it
    std::uint64_t unwritten_ = 0;
    DeltaBases bases_;
};

template <typename Record>
bool StreamWriter::append_record(const Record& record) {
    static_assert(Record::kDeltas <= DeltaBases::kBases);
    if (file_ == nullptr || file_->generation() != generation_) {
        ++unwritten_;
        return false;
    }
    std::uint64_t* bases = bases_.of(record.number(), Record::kDeltas);
    if (bases == nullptr) {  // more tables than bases: a marker starts a segment, where all are 0 again
        bases_.clear();
        marker_due_ = true;
        bases = bases_.of(record.number(), Record::kDeltas);
    }
    const std::size_t most = kMarkerBytes + 2 * kMaxVarintBytes + record.worst_body();
    if (room() < most) {
        static constexpr std::uint64_t kNoBases[DeltaBases::kBases] = {};
        const std::size_t fresh = record_bytes(record, kNoBases);
        const std::size_t kept = (marker_due_ ? kMarkerBytes : 0) + record_bytes(record, bases);
        if (room() < kept) {
            if (!make_room(kMarkerBytes + fresh, fresh)) {
                ++unwritten_;
                return false;
            }
            bases = bases_.of(record.number(), Record::kDeltas);
        }
    }
    std::uint8_t* at = at_;
    if (marker_due_) {
        at = write_marker(at);
        marker_due_ = false;
    }
    at = encode_varint(at, record.number());
    // Bodies are mostly shorter than 128 bytes: leave one byte for the length, and move the body up otherwise.
    // If room is short the length was measured to fit, and a moved body ends where it was measured to end.
    std::uint8_t* const body = at + 1;
    at = record.write(body, bases);
    const auto length = static_cast<std::size_t>(at - body);
    if (length < 0x80U) {
        body[-1] = static_cast<std::uint8_t>(length);
    } else {
        const std::size_t extra = varint_bytes(length) - 1;
        std::memmove(body + extra, body, length);
        encode_varint(body - 1, length);
        at += extra;
    }
    commit(at);
    return true;
}

// Appends the description of table Row: once a file, before or after its rows.
template <typename Row>
bool write_schema(StreamWriter& stream) {
    return stream.append_record(SchemaRecord<Row>{});
}

// The descriptions of all tables of tables.h.
inline bool write_schemas(StreamWriter& stream) {
    bool written = true;
    for_each_row_type([&]<typename Row>() { written = write_schema<Row>(stream) && written; });
    return written;
}

}  // namespace kymo::recording
