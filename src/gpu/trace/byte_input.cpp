#include "gpu/trace/byte_input.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <lzma.h>
#include <system_error>
#include <vector>

namespace kymo::gpu {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10U;
constexpr std::uint64_t kMostWindow = 256U << 20U;
constexpr std::array<std::uint8_t, 6> kXzMagic = {0xFD, '7', 'z', 'X', 'Z', 0x00};

class PlainFile : public ByteInput {
  public:
    PlainFile(std::FILE* file, std::string name) : file_(file), name_(std::move(name)), buffer_(kPiece) {}
    ~PlainFile() override { std::fclose(file_); }
    PlainFile(const PlainFile&) = delete;
    PlainFile& operator=(const PlainFile&) = delete;

    Result<std::span<const std::uint8_t>> read() override {
        const std::size_t got = std::fread(buffer_.data(), 1, buffer_.size(), file_);
        if (got == 0 && std::ferror(file_) != 0) {
            return Error{ErrorKind::kMalformed, name_ + ": cannot be read: " + std::strerror(errno), ""};
        }
        return std::span<const std::uint8_t>(buffer_.data(), got);
    }
    Result<void> rewind() override {
        if (std::fseek(file_, 0, SEEK_SET) != 0) {
            return Error{ErrorKind::kUnsupported, name_ + ": cannot be read twice", "use a file, not a pipe"};
        }
        return {};
    }

  private:
    std::FILE* file_;
    std::string name_;
    std::vector<std::uint8_t> buffer_;
};

class XzFile : public ByteInput {
  public:
    XzFile(std::unique_ptr<ByteInput> packed, std::string name)
        : packed_(std::move(packed)), name_(std::move(name)), buffer_(kPiece) {
        start();
    }
    ~XzFile() override { lzma_end(&stream_); }
    XzFile(const XzFile&) = delete;
    XzFile& operator=(const XzFile&) = delete;

    Result<std::span<const std::uint8_t>> read() override {
        if (!begun_) {
            return Error{ErrorKind::kNoSpace, name_ + ": no memory to decompress it", ""};
        }
        if (done_) {
            return std::span<const std::uint8_t>();
        }
        stream_.next_out = buffer_.data();
        stream_.avail_out = buffer_.size();
        while (stream_.avail_out == buffer_.size()) {
            if (stream_.avail_in == 0 && !ended_) {
                auto piece = packed_->read();
                if (!piece) {
                    return piece.error();
                }
                ended_ = piece->empty();
                stream_.next_in = piece->data();
                stream_.avail_in = piece->size();
            }
            const lzma_ret outcome = lzma_code(&stream_, ended_ ? LZMA_FINISH : LZMA_RUN);
            if (outcome == LZMA_STREAM_END) {
                done_ = true;
                break;
            }
            if (outcome != LZMA_OK) {
                return Error{ErrorKind::kMalformed,
                             name_ + (outcome == LZMA_MEMLIMIT_ERROR ? ": needs more than 256 MiB to decompress"
                                      : ended_                       ? ": truncated xz file"
                                                                     : ": damaged xz file"),
                             "check it with xz -t, or fetch it again"};
            }
        }
        return std::span<const std::uint8_t>(buffer_.data(), buffer_.size() - stream_.avail_out);
    }

    Result<void> rewind() override {
        lzma_end(&stream_);
        start();
        return packed_->rewind();
    }

  private:
    void start() {
        stream_ = LZMA_STREAM_INIT;
        begun_ = lzma_stream_decoder(&stream_, kMostWindow, LZMA_CONCATENATED) == LZMA_OK;
        ended_ = false;
        done_ = false;
    }

    std::unique_ptr<ByteInput> packed_;
    std::string name_;
    std::vector<std::uint8_t> buffer_;
    lzma_stream stream_ = LZMA_STREAM_INIT;
    bool begun_ = false;
    bool ended_ = false;
    bool done_ = false;
};

class MemoryBytes : public ByteInput {
  public:
    explicit MemoryBytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    Result<std::span<const std::uint8_t>> read() override {
        const auto given = given_ ? std::span<const std::uint8_t>() : bytes_;
        given_ = true;
        return given;
    }
    Result<void> rewind() override {
        given_ = false;
        return {};
    }

  private:
    std::span<const std::uint8_t> bytes_;
    bool given_ = false;
};

bool is_xz(std::span<const std::uint8_t> bytes) {
    return bytes.size() >= kXzMagic.size() && std::memcmp(bytes.data(), kXzMagic.data(), kXzMagic.size()) == 0;
}

}  // namespace

Result<std::unique_ptr<ByteInput>> open_bytes(const std::filesystem::path& path) {
    const std::string name = path.string();
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        return Error{ErrorKind::kNotFound, name + ": is a directory", "name a trace, or the kernelslist.g in it"};
    }
    std::FILE* file = std::fopen(path.c_str(), "rbe");
    if (file == nullptr) {
        const int why = errno;
        return Error{why == EACCES ? ErrorKind::kPermission : ErrorKind::kNotFound, name + ": " + std::strerror(why),
                     "check the file's name"};
    }
    std::array<std::uint8_t, kXzMagic.size()> first{};
    const std::size_t got = std::fread(first.data(), 1, first.size(), file);
    std::fseek(file, 0, SEEK_SET);
    auto plain = std::make_unique<PlainFile>(file, name);
    if (is_xz({first.data(), got})) {
        return std::unique_ptr<ByteInput>(std::make_unique<XzFile>(std::move(plain), name));
    }
    return std::unique_ptr<ByteInput>(std::move(plain));
}

std::unique_ptr<ByteInput> bytes_in_memory(std::span<const std::uint8_t> bytes) {
    auto plain = std::make_unique<MemoryBytes>(bytes);
    if (is_xz(bytes)) {
        return std::make_unique<XzFile>(std::move(plain), "memory");
    }
    return plain;
}

Result<bool> LineInput::next(std::string_view& line) {
    joined_.clear();
    for (;;) {
        if (at_ == piece_.size()) {
            auto piece = bytes_->read();
            if (!piece) {
                return piece.error();
            }
            piece_ = *piece;
            at_ = 0;
            if (piece_.empty()) {
                if (joined_.empty()) {
                    return false;
                }
                line = joined_;  // the last line, without an end
                break;
            }
        }
        const auto* from = reinterpret_cast<const char*>(piece_.data()) + at_;
        const std::size_t left = piece_.size() - at_;
        const auto* end = static_cast<const char*>(std::memchr(from, '\n', left));
        const std::size_t length = end != nullptr ? static_cast<std::size_t>(end - from) : left;
        if (joined_.size() + length > kLongest) {
            ++number_;
            return malformed("a line of at most 65536 bytes");
        }
        at_ += length + (end != nullptr ? 1 : 0);
        if (end == nullptr) {
            joined_.append(from, length);
            continue;
        }
        if (joined_.empty()) {
            line = {from, length};
        } else {
            joined_.append(from, length);
            line = joined_;
        }
        break;
    }
    ++number_;
    if (!line.empty() && line.back() == '\r') {
        line.remove_suffix(1);
    }
    return true;
}

Result<void> LineInput::rewind() {
    piece_ = {};
    at_ = 0;
    number_ = 0;
    return bytes_->rewind();
}

Error LineInput::malformed(std::string_view expected) const {
    return {ErrorKind::kMalformed, name_ + ":" + std::to_string(number_) + ": expected " + std::string(expected),
            "the file is damaged or not a trace; docs/gpu-traces.md describes the format"};
}

}  // namespace kymo::gpu
