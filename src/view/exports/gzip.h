// Bytes as a gzip file, in pieces.
#pragma once

#include "view/exports/output.h"

#include <array>
#include <string_view>
#include <zlib.h>

namespace kymo::view {

class GzipOutput {
  public:
    explicit GzipOutput(Output& out) : out_(out) {
        constexpr int kGzip = 15 + 16;  // the largest window, with gzip's header
        is_good_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    }
    GzipOutput(const GzipOutput&) = delete;
    GzipOutput& operator=(const GzipOutput&) = delete;
    ~GzipOutput() { deflateEnd(&stream_); }

    void write(std::string_view bytes) { deflate_all(bytes, Z_NO_FLUSH); }
    void finish() { deflate_all({}, Z_FINISH); }

  private:
    void deflate_all(std::string_view bytes, int flush) {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream_.avail_in = static_cast<uInt>(bytes.size());
        do {
            stream_.next_out = reinterpret_cast<Bytef*>(piece_.data());
            stream_.avail_out = static_cast<uInt>(piece_.size());
            is_good_ = is_good_ && deflate(&stream_, flush) >= 0;
            out_.write({piece_.data(), piece_.size() - stream_.avail_out});
        } while (is_good_ && stream_.avail_out == 0);
    }

    Output& out_;
    std::array<char, 1U << 16U> piece_;
    z_stream stream_{};
    bool is_good_ = false;
};

}  // namespace kymo::view
