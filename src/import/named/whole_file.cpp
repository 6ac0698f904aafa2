#include "import/named/whole_file.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <zlib.h>

namespace kymo::import::named {
namespace {

// One stream, or several one after another, as of concatenated files.
class Gunzip {
  public:
    Gunzip() {
        constexpr int kGzip = 15 + 16;  // the largest window, with gzip's header
        is_good_ = inflateInit2(&stream_, kGzip) == Z_OK;
    }
    Gunzip(const Gunzip&) = delete;
    Gunzip& operator=(const Gunzip&) = delete;
    ~Gunzip() { inflateEnd(&stream_); }

    // Precondition: all of what was given before was taken.
    void give(std::span<const std::uint8_t> compressed) {
        stream_.next_in = const_cast<Bytef*>(compressed.data());
        stream_.avail_in = static_cast<uInt>(compressed.size());
    }

    // A piece of the contents, valid until the next call; empty: all that was given is taken, or damaged.
    std::span<const std::uint8_t> take() {
        while (is_good_ && (stream_.avail_in > 0 || was_full_)) {
            if (is_at_end_) {  // what follows is another stream, or padding that is none
                is_at_end_ = false;
                if (inflateReset(&stream_) != Z_OK) {
                    is_good_ = false;
                    break;
                }
            }
            stream_.next_out = piece_.data();
            stream_.avail_out = static_cast<uInt>(piece_.size());
            const int result = inflate(&stream_, Z_NO_FLUSH);
            is_good_ = result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
            is_at_end_ = result == Z_STREAM_END;
            was_full_ = is_good_ && !is_at_end_ && stream_.avail_out == 0;
            const std::size_t got = piece_.size() - stream_.avail_out;
            if (got > 0) {
                return {piece_.data(), got};
            }
            if (result == Z_BUF_ERROR) {
                break;
            }
        }
        return {};
    }

    [[nodiscard]] bool is_damaged() const { return !is_good_; }
    [[nodiscard]] bool is_at_end() const { return is_at_end_; }

  private:
    z_stream stream_{};
    std::array<std::uint8_t, std::size_t{64} << 10U> piece_;
    bool is_good_ = false;
    bool is_at_end_ = false;
    bool was_full_ = false;  // there may be more without further input
};

bool is_gzip(std::span<const std::uint8_t> beginning) {
    return beginning.size() >= 2 && beginning[0] == 0x1f && beginning[1] == 0x8b;
}

// An error where these bytes are too many.
std::optional<Error> append(WholeFile& to, std::span<const std::uint8_t> bytes, std::uint64_t read,
                            const Input& input) {
    if (bytes.size() > WholeFile::kMostBytes - to.bytes.size()) {
        return Error{ErrorKind::kNoSpace,
                     fmt::format("{} has more than {} MiB", input.name(), WholeFile::kMostBytes >> 20U),
                     "use a profile of a shorter run"};
    }
    if (to.bytes.size() + bytes.size() > WholeFile::kFreeBytes + read * WholeFile::kMostRatio) {
        return Error{ErrorKind::kMalformed,
                     fmt::format("{} becomes more than {} times larger when decompressed", input.name(),
                                 WholeFile::kMostRatio),
                     ""};
    }
    to.bytes.insert(to.bytes.end(), bytes.begin(), bytes.end());
    return std::nullopt;
}

}  // namespace

Result<WholeFile> read_whole(Input& input, const Progress& progress) {
    const auto beginning = input.peek(2);
    if (!beginning) {
        return beginning.error();
    }
    WholeFile to;
    std::optional<Gunzip> gunzip;
    if (is_gzip(*beginning)) {
        gunzip.emplace();
    }
    std::uint64_t read = 0;
    for (;;) {
        const auto bytes = input.next();
        if (!bytes) {
            return bytes.error();
        }
        if (bytes->empty()) {
            break;
        }
        read += bytes->size();
        if (progress && input.share() > 0) {
            progress(input.share() / 2);
        }
        if (!gunzip) {
            if (auto error = append(to, *bytes, read, input)) {
                return std::move(*error);
            }
            continue;
        }
        gunzip->give(*bytes);
        for (auto piece = gunzip->take(); !piece.empty(); piece = gunzip->take()) {
            if (auto error = append(to, piece, read, input)) {
                return std::move(*error);
            }
        }
        if (gunzip->is_damaged()) {
            break;
        }
    }
    to.is_cut = gunzip && !gunzip->is_at_end();
    return to;
}

std::vector<std::uint8_t> decompressed_beginning(std::span<const std::uint8_t> beginning, std::size_t most) {
    if (!is_gzip(beginning)) {
        const auto part = beginning.first(std::min(most, beginning.size()));
        return {part.begin(), part.end()};
    }
    std::vector<std::uint8_t> to;
    Gunzip gunzip;
    gunzip.give(beginning);
    for (auto piece = gunzip.take(); !piece.empty() && to.size() < most; piece = gunzip.take()) {
        const auto part = piece.first(std::min(piece.size(), most - to.size()));
        to.insert(to.end(), part.begin(), part.end());
    }
    return to;
}

}  // namespace kymo::import::named
