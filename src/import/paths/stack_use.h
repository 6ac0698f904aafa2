// How much of the copied stacks call paths needed: what a fitting size of the copies follows from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace kymo::import {

struct StackUse {
    static constexpr std::uint64_t kSmallest = 1024;  // bytes
    static constexpr std::size_t kClasses = 7;        // the last one: up to 64 KiB

    // Stacks by the smallest power of two of bytes, from kSmallest on, that holds what their path needed.
    std::array<std::uint64_t, kClasses> by_need = {};
    std::uint64_t cut = 0;  // others: their paths end where the copy did

    void add(std::uint64_t needed) {
        std::size_t i = 0;
        while (i + 1 < kClasses && needed > kSmallest << i) {
            ++i;
        }
        ++by_need[i];
    }
    std::uint64_t stacks() const { return std::accumulate(by_need.begin(), by_need.end(), cut); }
    // Of these, so many needed more than `bytes`.
    std::uint64_t above(std::uint64_t bytes) const {
        std::uint64_t count = cut;
        for (std::size_t i = 0; i < kClasses; ++i) {
            count += kSmallest << i > bytes ? by_need[i] : 0;
        }
        return count;
    }
    // What came since `before` of the same counts.
    StackUse since(const StackUse& before) const {
        StackUse left;
        for (std::size_t i = 0; i < kClasses; ++i) {
            left.by_need[i] = by_need[i] - before.by_need[i];
        }
        left.cut = cut - before.cut;
        return left;
    }
};

}  // namespace kymo::import
