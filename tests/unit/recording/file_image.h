// Recording files made byte by byte, right or wrong, as docs/recording-format.md says and not as the writer does.
#pragma once

#include "base/checksum.h"
#include "recording/format.h"
#include "recording/schema.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::testing {

class Bytes {
  public:
    Bytes& byte(unsigned value) {
        bytes_.push_back(static_cast<std::uint8_t>(value));
        return *this;
    }
    Bytes& varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7U) {
            byte(static_cast<unsigned>(value & 0x7FU) | 0x80U);
        }
        return byte(static_cast<unsigned>(value));
    }
    Bytes& text(std::string_view text) {
        varint(text.size());
        return raw(text);
    }
    Bytes& raw(std::string_view text) {
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        return *this;
    }
    Bytes& raw(const Bytes& other) {
        bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
        return *this;
    }
    template <typename T>
    Bytes& object(const T& object) {
        return raw(std::string_view(reinterpret_cast<const char*>(&object), sizeof object));
    }
    Bytes& zeros(std::size_t count) {
        bytes_.resize(bytes_.size() + count);
        return *this;
    }
    std::size_t size() const { return bytes_.size(); }
    std::uint8_t& operator[](std::size_t i) { return bytes_[i]; }
    const std::uint8_t* data() const { return bytes_.data(); }
    Bytes first(std::size_t count) const {
        Bytes front;
        front.bytes_.assign(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(count));
        return front;
    }
    void save(const std::filesystem::path& path) const {
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
    }

  private:
    std::vector<std::uint8_t> bytes_;
};

inline Bytes record(std::uint64_t table, const Bytes& body) {
    return Bytes().varint(table).varint(body.size()).raw(body);
}

struct ColumnText {
    std::string_view name;
    recording::ColumnType type;
    std::string_view unit;
};

inline Bytes schema(std::uint64_t number, std::string_view name, std::initializer_list<ColumnText> columns) {
    Bytes body;
    body.varint(number).text(name).varint(columns.size());
    for (const ColumnText& column : columns) {
        body.text(column.name).byte(static_cast<unsigned>(column.type)).text(column.unit);
    }
    return record(recording::kSchemaTable, body);
}

// Table 26 of the files made here.
inline Bytes mark_schema() {
    using recording::ColumnType;
    return schema(26, "mark",
                  {{"time", ColumnType::kDelta, "ns"},
                   {"kind", ColumnType::kUint, ""},
                   {"name", ColumnType::kText, ""},
                   {"value", ColumnType::kInt, ""}});
}

// A row of it; `time` counts from the row before.
inline Bytes mark(std::uint8_t time, std::string_view name) {
    return record(26, Bytes().varint(2U * time).varint(0).text(name).varint(2));
}

// A file header of the least size.
inline recording::FileHeader small_header(bool packed) {
    recording::FileHeader header{};
    std::memcpy(header.magic, recording::kFileMagic, sizeof header.magic);
    header.major = recording::kMajorVersion;
    header.minor = recording::kMinorVersion;
    header.header_bytes = recording::kMinHeaderBytes;
    header.machine = 62;
    header.clock = 1;
    header.chunk_bytes = packed ? recording::kChunkBytes : recording::kMinGridBytes;
    header.pid = 1234;
    header.producer_bytes = 4;
    std::memcpy(header.producer, "kymo", 4);
    header.closed = 1;
    header.packed = packed ? 1 : 0;
    return header;
}

// Checksum and size filled in.
inline Bytes file(recording::FileHeader header, const Bytes& chunks) {
    header.fixed_crc = crc32c(&header, offsetof(recording::FileHeader, fixed_crc));
    header.used_bytes = recording::kMinHeaderBytes + chunks.size();
    return Bytes().object(header).zeros(recording::kMinHeaderBytes - sizeof header).raw(chunks);
}

inline recording::ChunkHeader chunk_header(std::uint32_t stream, const Bytes& payload, bool packed) {
    recording::ChunkHeader header{};
    header.magic = recording::kChunkMagic;
    const std::size_t size = sizeof header + payload.size();
    const std::size_t grid = packed ? 8 : recording::kMinGridBytes;
    header.capacity = static_cast<std::uint32_t>((size + grid - 1) / grid * grid);
    header.committed = static_cast<std::uint32_t>(payload.size());
    header.stream = stream;
    if (packed) {
        header.payload_crc = crc32c(payload.data(), payload.size());
    }
    return header;
}

inline Bytes with_header(recording::ChunkHeader header, const Bytes& payload, bool packed) {
    const std::size_t size = sizeof header + payload.size();
    const std::size_t grid = packed ? 8 : recording::kMinGridBytes;
    if (packed) {
        header.header_crc = crc32c(&header, offsetof(recording::ChunkHeader, header_crc));
    }
    return Bytes().object(header).raw(payload).zeros((size + grid - 1) / grid * grid - size);
}

inline Bytes chunk(std::uint32_t stream, const Bytes& payload, bool packed) {
    return with_header(chunk_header(stream, payload, packed), payload, packed);
}

}  // namespace kymo::testing
