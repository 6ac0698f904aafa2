// Any bytes as what comes over a connection. The first says at which end, with keys or without, and in pieces of what
// size the rest comes. Who has no keys gets nothing through to the ring; without keys, what comes through is what
// came.
#include "ring/transport/curve_link.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::ring;
    if (size == 0) {
        return 0;
    }
    static const KeyPair keys{{1}, {2}};  // no pair of anybody's
    const bool is_keyed = (data[0] & 1U) != 0;
    CurveLink link((data[0] & 2U) != 0 ? CurveLink::Side::kSends : CurveLink::Side::kReceives,
                   is_keyed ? &keys : nullptr);
    const std::size_t piece = 1 + (data[0] >> 2U);
    Bytes out;
    std::vector<Bytes> messages;
    link.begin(out);
    bool goes_on = true;
    for (std::size_t at = 1; at < size && goes_on; at += piece) {
        goes_on = link.take({data + at, std::min(piece, size - at)}, out, messages);
    }
    std::size_t came = 0;
    for (const Bytes& message : messages) {
        came += message.size();
    }
    if (came > size || (is_keyed && (link.is_ready() || !messages.empty())) || out.size() > 1024) {
        std::abort();
    }
    return 0;
}
