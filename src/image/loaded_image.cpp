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

}  // namespace kymo::image
