// Shares in millionths, so that thresholds are compared exactly: 90 % is 90 %, whatever the sums.
#pragma once

#include <cstdint>

namespace kymo::spacetime {

struct Share {
    std::uint32_t per_million = 0;
};

constexpr Share percent(std::uint32_t value) {
    return {value * 10'000};
}

__extension__ using Wide = unsigned __int128;

// part / whole ≥ share, and > share; both false for an empty whole.
constexpr bool is_at_least(std::uint64_t part, std::uint64_t whole, Share share) {
    return whole > 0 && Wide{part} * 1'000'000U >= Wide{whole} * share.per_million;
}
constexpr bool is_above(std::uint64_t part, std::uint64_t whole, Share share) {
    return whole > 0 && Wide{part} * 1'000'000U > Wide{whole} * share.per_million;
}

// Sums of differences may be slightly negative, which is not a share.
constexpr std::uint64_t positive(std::int64_t value) {
    return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

}  // namespace kymo::spacetime
