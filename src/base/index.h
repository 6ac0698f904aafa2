// A typed index of a vector: Index<SpaceNode> refers to a SpaceNode and nothing else.
//
// Conversions from and to numbers, and between indices of different vectors, are explicit: `Index<T>(number)` and
// `raw(index)`. index.in(vector) is its element, or the entry in a column beside that vector. Columns kept as
// plain numbers have the same kNone.
//
// Contract: four bytes, trivially copyable; costs what the number costs. Default: kNone. All of a vector:
// spacetime/indices.h.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace kymo {

// The invalid index, of any type: no node, no thread, no function.
struct None {
    constexpr operator std::uint32_t() const { return 0xffffffffU; }
};
inline constexpr None kNone{};

template <class Tag>
class Index {
  public:
    constexpr Index(None = kNone) {}
    template <std::integral Number>
    constexpr explicit Index(Number number) : number_(static_cast<std::uint32_t>(number)) {}

    template <class Vector>
    constexpr decltype(auto) in(Vector& vector) const {
        return vector[number_];
    }
    template <class T>
    constexpr T& in(std::span<T> span) const {
        return span[number_];
    }
    friend constexpr std::uint32_t raw(Index index) { return index.number_; }

    constexpr bool operator==(const Index&) const = default;
    constexpr auto operator<=>(const Index&) const = default;

  private:
    std::uint32_t number_ = kNone;
};

}  // namespace kymo

template <class Tag>
struct std::hash<kymo::Index<Tag>> {
    std::size_t operator()(kymo::Index<Tag> index) const { return std::hash<std::uint32_t>()(raw(index)); }
};
