#include "image/loaded_image.h"

#include <algorithm>
#include <elf.h>

namespace kymo::image {

Range LoadedImage::code() const {
    Range code{};
    for (std::uint32_t i = 0; i < segment_count; ++i) {
        if ((segments[i].flags & PF_X) != 0) {
            code.begin = code.empty() || segments[i].range.begin < code.begin ? segments[i].range.begin : code.begin;
            code.end = segments[i].range.end > code.end ? segments[i].range.end : code.end;
        }
    }
    return code;
}

LoadedImage LoadedImage::moved(std::uint64_t to_bias) const {
    const std::uint64_t by = to_bias - bias;
    const auto move = [by](Range range) { return range.empty() ? range : Range{range.begin + by, range.end + by}; };
    LoadedImage there = *this;
    there.bias = to_bias;
    there.elsewhere = elsewhere - by;
    there.range = move(range);
    there.eh_frame_header = move(eh_frame_header);
    there.eh_frame = move(eh_frame);
    there.go_table = move(go_table);
    there.relocations = move(relocations);
    for (std::uint32_t i = 0; i < segment_count; ++i) {
        there.segments[i].range = move(segments[i].range);
        there.segments[i].end += by;
    }
    return there;
}

}  // namespace kymo::image
