#include "import/named/inflated.h"

#include <algorithm>
#include <array>
#include <limits>
#include <zlib.h>

namespace kymo::import::named {

Inflated inflate_part(std::span<const std::uint8_t> compressed, std::size_t most) {
    Inflated made;
    z_stream stream{};
    if (compressed.size() > std::numeric_limits<uInt>::max() || inflateInit(&stream) != Z_OK) {
        return made;
    }
    stream.next_in = const_cast<Bytef*>(compressed.data());
    stream.avail_in = static_cast<uInt>(compressed.size());
    std::array<std::uint8_t, std::size_t{64} << 10U> piece;
    int result = Z_OK;
    while (result == Z_OK) {
        stream.next_out = piece.data();
        stream.avail_out = static_cast<uInt>(piece.size());
        result = inflate(&stream, Z_NO_FLUSH);
        const std::size_t got = piece.size() - stream.avail_out;
        if (got > most - made.bytes.size()) {
            made.is_large = true;
            made.bytes = {};
            break;
        }
        made.bytes.insert(made.bytes.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got));
    }
    made.is_whole = result == Z_STREAM_END && !made.is_large;
    inflateEnd(&stream);
    return made;
}

}  // namespace kymo::import::named
