#include "image/inflate.h"

#include "image/scratch.h"

#include <algorithm>
#include <zlib.h>

namespace kymo::image {
namespace {

constexpr std::size_t kMemory = std::size_t{64} << 10U;  // zlib's state takes 10 KiB, its window 32
constexpr std::size_t kPiece = std::size_t{16} << 10U;   // of the file

// Allocates from a block of memory piece by piece.
struct Pieces {
    std::span<std::uint8_t> left;

    static voidpf take(voidpf pieces, unsigned items, unsigned size) {
        auto& left = static_cast<Pieces*>(pieces)->left;
        const std::uint64_t wanted = (std::uint64_t{items} * size + 15) / 16 * 16;
        if (wanted > left.size()) {
            return nullptr;
        }
        std::uint8_t* const begin = left.data();
        left = left.subspan(wanted);
        return begin;
    }
    static void leave(voidpf /*pieces*/, voidpf /*piece*/) {}
};

}  // namespace

bool inflate_from_file(const RawFile& file, std::uint64_t offset, std::uint64_t size, std::span<std::uint8_t> out) {
    const Scratch memory(kMemory + kPiece);
    if (memory.bytes().empty()) {
        return false;
    }
    Pieces pieces{memory.bytes().first(kMemory)};
    const std::span<std::uint8_t> piece = memory.bytes().subspan(kMemory);
    z_stream stream{};
    stream.zalloc = Pieces::take;
    stream.zfree = Pieces::leave;
    stream.opaque = &pieces;
    if (inflateInit(&stream) != Z_OK) {
        return false;
    }
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;  // zlib counts in 32 bits
    std::size_t filled = 0;
    int status = Z_OK;
    while (status == Z_OK) {
        if (stream.avail_in == 0) {
            const std::size_t wanted = std::min<std::uint64_t>(size, piece.size());
            const std::size_t got = file.read_at(offset, piece.first(wanted));
            offset += got;
            size = got == wanted ? size - got : 0;
            stream.next_in = piece.data();
            stream.avail_in = static_cast<unsigned>(got);
        }
        const std::size_t room = std::min(out.size() - filled, kMostAtOnce);
        stream.next_out = out.data() + filled;
        stream.avail_out = static_cast<unsigned>(room);
        status = inflate(&stream, Z_NO_FLUSH);  // without input and room to go on: Z_BUF_ERROR
        filled += room - stream.avail_out;
    }
    return status == Z_STREAM_END && filled == out.size();
}

}  // namespace kymo::image
