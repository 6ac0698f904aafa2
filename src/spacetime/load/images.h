// A load image, as far as analyses tell one from another.
#pragma once

#include "team/members.h"

#include <compare>
#include <cstdint>
#include <string>

namespace kymo::spacetime {

struct ImageInfo {
    std::string path;
    std::string build_id;
    std::uint16_t machine = 0;
    std::uint64_t content = 0;  // tells files without a build id apart; 0: not known
    auto operator<=>(const ImageInfo&) const = default;
};
KYMO_MEMBERS(ImageInfo, path, build_id, machine, content)

}  // namespace kymo::spacetime
