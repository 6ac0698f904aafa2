// The contents of compressed records: one zstd stream that goes on from record to record.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

struct ZSTD_DCtx_s;

namespace kymo::import::perf {

class Decompressor {
  public:
    // Memory: as much as the stream's window, at most 128 MiB, and a buffer.
    Decompressor();

    // The next bytes; valid until take() has returned nothing.
    void give(std::span<const std::uint8_t> compressed) { left_ = compressed; }

    // What they say, a part at a time, valid until the next call; empty: no more, or damaged.
    std::span<const std::uint8_t> take();

    // Nothing comes any more.
    [[nodiscard]] bool damaged() const { return damaged_; }

  private:
    struct Free {
        void operator()(ZSTD_DCtx_s* context) const;
    };

    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
    std::vector<std::uint8_t> out_;
    std::span<const std::uint8_t> left_;
    bool was_full_ = false;  // there may be more without further input
    bool damaged_ = false;
};

}  // namespace kymo::import::perf
