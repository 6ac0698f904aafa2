#include "import/perf/decompressor.h"

#include <zstd.h>

namespace kymo::import::perf {
namespace {

constexpr std::size_t kPart = std::size_t{128} << 10;
constexpr int kMostWindow = 27;  // as a power of two

}  // namespace

Decompressor::Decompressor() : context_(ZSTD_createDCtx()), out_(kPart) {
    damaged_ = context_ == nullptr ||
               ZSTD_isError(ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kMostWindow)) != 0;
}

void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const {
    ZSTD_freeDCtx(context);
}

std::span<const std::uint8_t> Decompressor::take() {
    while (!damaged_ && (!left_.empty() || was_full_)) {
        ZSTD_inBuffer in{left_.data(), left_.size(), 0};
        ZSTD_outBuffer out{out_.data(), out_.size(), 0};
        if (ZSTD_isError(ZSTD_decompressStream(context_.get(), &out, &in)) != 0) {
            damaged_ = true;
            break;
        }
        const bool stuck = in.pos == 0 && out.pos == 0;
        left_ = left_.subspan(in.pos);
        was_full_ = out.pos == out.size;
        if (out.pos > 0) {
            return {out_.data(), out.pos};
        }
        if (stuck) {
            damaged_ = !left_.empty();
            break;
        }
    }
    return {};
}

}  // namespace kymo::import::perf
