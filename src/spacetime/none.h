// The index of nothing.
#pragma once

#include <cstdint>

namespace kymo::spacetime {

inline constexpr std::uint32_t kNone = 0xffffffffU;

}  // namespace kymo::spacetime
