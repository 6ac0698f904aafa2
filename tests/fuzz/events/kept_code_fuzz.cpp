// Any text as the file `kept`: it is refused, or all its ranges are within bounds, ascending and found again.
#include "events/kept_code.h"
#include "events/kept_file.h"

#include <cstdlib>

namespace {

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::events;
    static KeptCode code;
    if (!parse_kept_code({reinterpret_cast<const char*>(data), size}, code)) {
        return 0;
    }
    require(code.image_count <= kMaxKeptImages && code.range_count <= kMaxKeptRanges);
    std::uint32_t ranges = 0;
    for (std::uint32_t i = 0; i < code.image_count; ++i) {
        const KeptImage& image = code.images[i];
        require(image.build_id_bytes >= 1 && image.build_id_bytes <= kMaxBuildIdBytes);
        require(image.first == ranges);
        ranges += image.count;
        const int found = code.image_of({image.build_id, image.build_id_bytes});
        require(found >= 0 && static_cast<std::uint32_t>(found) <= i);
        std::uint64_t last = 0;
        for (std::uint32_t at = image.first; at < image.first + image.count; ++at) {
            const KeptRange& range = code.ranges[at];
            require(range.begin < range.end && range.begin >= last);
            require(code.holds(i, range.begin) && code.holds(i, range.end - 1));
            require(range.begin == last || !code.holds(i, range.begin - 1));
            last = range.end;
        }
        require(!code.holds(i, last));
    }
    require(ranges == code.range_count);
    return 0;
}
