#include "import/named/unpacked.h"

#include <algorithm>
#include <array>
#include <vector>
#include <zlib.h>

namespace kymo::import::named {

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

namespace {

bool is_gzip(std::span<const std::uint8_t> beginning) {
    return beginning.size() >= 2 && beginning[0] == 0x1f && beginning[1] == 0x8b;
}

}  // namespace

Unpacked::Unpacked(Input& input) : input_(input) {}
Unpacked::~Unpacked() = default;

Result<std::span<const std::uint8_t>> Unpacked::next() {
    if (!is_begun_) {
        const auto beginning = input_.peek(2);
        if (!beginning) {
            return beginning.error();
        }
        gunzip_ = is_gzip(*beginning) ? std::make_unique<Gunzip>() : nullptr;
        is_begun_ = true;
    }
    while (!is_done_) {
        if (const auto piece = gunzip_ ? gunzip_->take() : std::span<const std::uint8_t>(); !piece.empty()) {
            return piece;
        }
        if (gunzip_ && gunzip_->is_damaged()) {
            break;
        }
        const auto bytes = input_.next();
        if (!bytes) {
            return bytes.error();
        }
        read_ += bytes->size();
        if (bytes->empty() || !gunzip_) {
            is_done_ = bytes->empty();
            return *bytes;
        }
        gunzip_->give(*bytes);
    }
    is_done_ = true;
    return std::span<const std::uint8_t>();
}

bool Unpacked::is_cut() const {
    return gunzip_ && !gunzip_->is_at_end();
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
