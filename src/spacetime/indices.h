// All indices of a vector, in order: for (const Index<Node> node : indices(nodes)).
#pragma once

#include "base/index.h"

#include <vector>

namespace kymo {

template <class Of>
class Indices {
  public:
    struct At {
        std::uint32_t number = 0;
        constexpr Index<Of> operator*() const { return Index<Of>(number); }
        constexpr At& operator++() {
            ++number;
            return *this;
        }
        constexpr bool operator==(const At&) const = default;
    };

    constexpr Indices(std::size_t first, std::size_t end)
        : first_(static_cast<std::uint32_t>(first)), end_(static_cast<std::uint32_t>(end)) {}
    constexpr At begin() const { return {first_}; }
    constexpr At end() const { return {end_}; }

  private:
    std::uint32_t first_;
    std::uint32_t end_;
};

// Precondition: first ≤ vector.size().
template <class Of>
constexpr Indices<Of> indices(const std::vector<Of>& vector, std::size_t first = 0) {
    return {first, vector.size()};
}

}  // namespace kymo
