#include "import/perf/build_ids.h"

#include <algorithm>

namespace kymo::import::perf {
namespace {

constexpr std::size_t kMostBytes = 20;
constexpr std::uint16_t kHasSize = 1 << 15;  // newer files state how long the id is

// Shorter ids are filled up with zeros.
std::size_t size_without_zeros(std::span<const std::uint8_t> bytes) {
    std::size_t size = bytes.size();
    while (size >= 4 && std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(size - 4),
                                    bytes.begin() + static_cast<std::ptrdiff_t>(size),
                                    [](std::uint8_t byte) { return byte == 0; })) {
        size -= 4;
    }
    return size;
}

}  // namespace

std::optional<BuildId> read_build_id(const RecordHeader& header, Bytes from) {
    from.u32();  // the process, of guests
    const auto bytes = from.part(kMostBytes);
    const std::size_t stated = from.u8();
    from.part(3);  // reserved
    if (from.failed()) {
        return std::nullopt;
    }
    const bool has_size = (header.misc & kHasSize) != 0 && stated <= kMostBytes;
    const auto id = bytes.first(has_size ? stated : size_without_zeros(bytes));
    if (id.empty()) {
        return std::nullopt;
    }
    BuildId to;
    to.bytes.assign(id.begin(), id.end());
    to.path = from.text();
    const Mode mode = mode_of(header.misc);
    to.kernel = mode == Mode::kKernel || mode == Mode::kGuestKernel;
    return to;
}

}  // namespace kymo::import::perf
