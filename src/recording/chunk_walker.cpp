#include "recording/chunk_walker.h"

#include "base/checksum.h"
#include "recording/crc.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace kymo::recording {

namespace {

constexpr std::size_t kReadAhead = std::size_t{256} << 10U;
constexpr std::uint64_t kHoleGrain = 512;  // holes are whole blocks of the file system

bool all_zero(const ChunkHeader& header) {
    static constexpr ChunkHeader kZero{};
    return std::memcmp(&header, &kZero, sizeof kZero) == 0;
}

// The magic number is written last, after capacity and stream.
bool is_not_begun(const ChunkHeader& header) {
    return header.magic == 0 && header.committed == 0;
}

}  // namespace

void add_damage(ScanReport& report, std::uint64_t offset, std::uint64_t bytes, const char* what) {
    if (!report.damaged.empty()) {
        Damage& last = report.damaged.back();
        if (last.offset + last.bytes == offset && bytes != 0 && last.what == what) {
            last.bytes += bytes;
            return;
        }
    }
    ++report.damages;
    if (report.damaged.size() < ScanReport::kMaxDamages) {
        report.damaged.push_back({offset, bytes, what});
    }
}

Error ChunkWalker::read_error() const {
    return {ErrorKind::kMalformed,
            file_.path().string() + " cannot be read at offset " + std::to_string(at_) + ": " + std::strerror(error_),
            "check the disk, or copy the file elsewhere and try again"};
}

std::span<const std::uint8_t> ChunkWalker::look(std::uint64_t offset, std::size_t bytes) {
    if (offset < buffer_offset_ || offset + bytes > buffer_offset_ + buffer_filled_) {
        // Of a file with a writer, only the requested bytes: the payload must be read after the commit
        // word that covers it.
        const std::size_t wanted = finished_ ? std::max(bytes, read_ahead_) : bytes;
        if (buffer_.size() < wanted) {
            buffer_.resize(wanted);
        }
        buffer_offset_ = offset;
        buffer_filled_ = 0;
        while (buffer_filled_ < wanted) {
            const ssize_t got =
                reading_.read(buffer_.data() + buffer_filled_, wanted - buffer_filled_, offset + buffer_filled_);
            if (got < 0 && errno == EINTR) {
                continue;
            }
            if (got < 0) {
                error_ = errno;
                return {};
            }
            if (got == 0) {
                break;
            }
            buffer_filled_ += static_cast<std::size_t>(got);
        }
    }
    const auto skip = static_cast<std::size_t>(offset - buffer_offset_);
    return {buffer_.data() + skip, std::min(bytes, buffer_filled_ - skip)};
}

bool ChunkWalker::begin() {
    const Header& header = file_.header();
    begun_ = true;
    finished_ = header.closed || header.packed;
    at_ = header.header_bytes;
    if (reading_.error() != 0) {
        error_ = reading_.error();
        return false;
    }
    const auto known = reading_.size();
    if (!known) {
        error_ = errno;
        return false;
    }
    const std::uint64_t size = *known;
    end_ = size;
    size_ = size;
    if (!finished_) {
        // The counter of a file being written may have moved since it was opened. Beyond it nothing is in use.
        std::uint64_t used = 0;
        const auto bytes = look(offsetof(FileHeader, used_bytes), sizeof used);
        if (bytes.size() == sizeof used) {
            std::memcpy(&used, bytes.data(), sizeof used);
        }
        if (used >= header.header_bytes && used < size) {
            end_ = used;
        }
    } else if (header.used_bytes > size) {
        add_damage(report_, size, header.used_bytes - size, "the file was cut off");
    }
    return error_ == 0;
}

bool ChunkWalker::is_sound(const ChunkHeader& header) const {
    if (header.magic != kChunkMagic || header.capacity < sizeof(ChunkHeader) || header.capacity > kMaxChunkBytes ||
        header.capacity % 8 != 0 || header.committed > header.capacity - sizeof(ChunkHeader)) {
        return false;
    }
    if (file_.header().packed) {
        return header.header_crc == crc32c(&header, offsetof(ChunkHeader, header_crc));
    }
    return header.capacity % file_.header().chunk_bytes == 0;
}

// The first byte at or behind `offset` that is not in a hole; the file's end if there is none.
std::uint64_t ChunkWalker::next_data(std::uint64_t offset) const {
    const std::int64_t found = reading_.seek(offset, SEEK_DATA);
    if (found < 0) {
        return errno == ENXIO ? end_ : offset;  // or the file system cannot tell
    }
    return static_cast<std::uint64_t>(found);
}

// The first possible place of a header behind the zeros at `offset`.
std::uint64_t ChunkWalker::behind_hole(std::uint64_t offset) const {
    const Header& file = file_.header();
    const std::uint64_t data = next_data(offset);
    const std::uint64_t step = file.packed ? 8 : file.chunk_bytes;
    return data <= offset ? offset : std::max(offset, file.header_bytes + (data - file.header_bytes) / step * step);
}

// A chunk's payload is bytes that were written. A payload in a hole is an attack: a header, and megabytes of
// nothing.
bool ChunkWalker::has_hole(std::uint64_t offset, std::uint64_t bytes) {
    if (bytes == 0 || (offset >= data_begin_ && offset + bytes <= data_end_)) {
        return false;
    }
    const std::int64_t hole = reading_.seek(offset, SEEK_HOLE);
    if (hole < 0) {
        return false;
    }
    data_begin_ = offset;
    data_end_ = static_cast<std::uint64_t>(hole);
    if (data_end_ >= std::min(offset + bytes, size_)) {
        return false;
    }
    // Trusted only if zeros are seen.
    std::array<std::uint8_t, 512> seen{};
    const std::size_t wanted = std::min<std::uint64_t>(seen.size(), offset + bytes - data_end_);
    const ssize_t got = reading_.read(seen.data(), wanted, data_end_);
    return got >= 0 && std::all_of(seen.begin(), seen.begin() + got, [](std::uint8_t byte) { return byte == 0; });
}

std::uint64_t ChunkWalker::behind_damage(std::uint64_t offset) {
    const Header& file = file_.header();
    if (!file.packed) {
        const std::uint64_t grid = file.chunk_bytes;
        return behind_hole(file.header_bytes + ((offset - file.header_bytes) / grid + 1) * grid);
    }
    for (offset += 8; offset + sizeof(ChunkHeader) <= end_; offset += 8) {
        ChunkHeader header;
        const auto bytes = look(offset, sizeof header);
        if (bytes.size() < sizeof header) {
            break;
        }
        std::memcpy(&header, bytes.data(), sizeof header);
        if (is_sound(header)) {
            return offset;
        }
        if (offset % kHoleGrain == 0 && all_zero(header)) {
            // Also at a hole's beginning, since a hole begins at a page.
            offset = std::max(offset, behind_hole(offset) - 8);
        }
    }
    return end_;
}

Result<bool> ChunkWalker::next(Chunk& chunk, std::size_t most) {
    read_ahead_ = most < kReadAhead ? sizeof(ChunkHeader) + most : kReadAhead;
    if (!begun_ && !begin()) {
        return read_error();
    }
    while (at_ < end_) {
        ChunkHeader header;
        const auto head = look(at_, sizeof header);
        if (error_ != 0) {
            return read_error();
        }
        if (head.size() < sizeof header) {
            add_damage(report_, at_, end_ - at_, "the file was cut off");
            break;
        }
        std::memcpy(&header, head.data(), sizeof header);
        if (!is_sound(header)) {
            const std::uint64_t next = std::min(behind_damage(at_), end_);
            if (error_ != 0) {
                return read_error();
            }
            if (is_not_begun(header) && !file_.header().packed) {
                report_.uncommitted_bytes +=
                    next - at_;  // claimed, and its writer is about to fill it, or died before its first row
            } else {
                add_damage(report_, at_, next - at_, "not a chunk");
            }
            at_ = next;
            continue;
        }
        const std::uint64_t offset = at_;
        ++report_.chunks;
        if (has_hole(offset + sizeof header, header.committed)) {
            at_ = behind_damage(offset);
            add_damage(report_, offset, std::min(at_, end_) - offset, "a chunk with a hole in it");
            continue;
        }
        const std::uint64_t wanted = std::min<std::uint64_t>(header.committed, most);
        const auto payload = look(offset + sizeof header, wanted);
        if (error_ != 0) {
            return read_error();
        }
        at_ = offset + header.capacity;
        report_.uncommitted_bytes += header.capacity - sizeof header - header.committed;
        if (payload.size() < wanted) {
            const std::uint64_t missing = header.committed - payload.size();
            report_.missing_bytes += missing;
            add_damage(report_, offset + sizeof header + payload.size(), missing, "the file was cut off");
        } else if (wanted == header.committed && file_.header().packed && header.payload_crc != chunk_crc(payload)) {
            add_damage(report_, offset, header.capacity, "a chunk's checksum does not match");
            continue;
        }
        if (!payload.empty()) {
            chunk = {offset, StreamId{header.stream}, payload, wanted == header.committed};
            return true;
        }
    }
    at_ = end_;
    return false;
}

}  // namespace kymo::recording
