// Finds the sorted place that contains an address: the last one that begins at or before it.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>

namespace kymo {

// The last of `sorted` (ascending by `key`, in one piece of memory) whose key is at most `value`; null where there is
// none. O(log n).
template <typename Sorted, typename Value, typename Key = std::identity>
auto* last_at_most(Sorted&& sorted, const Value& value, Key key = {}) {
    const auto next =
        std::upper_bound(std::begin(sorted), std::end(sorted), value,
                         [&key](const Value& at, const auto& element) { return at < std::invoke(key, element); });
    return next == std::begin(sorted) ? nullptr : std::to_address(std::prev(next));
}

}  // namespace kymo
