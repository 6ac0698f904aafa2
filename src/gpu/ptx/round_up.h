// The next multiple of a unit.
#pragma once

#include <type_traits>

namespace kymo::gpu::ptx {

// Precondition: `unit` is not 0, and the result fits.
template <typename T>
constexpr T round_up(T value, std::type_identity_t<T> unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace kymo::gpu::ptx
