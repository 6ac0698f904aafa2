#include "gpu/trace/post_dominators.h"

#include <utility>

namespace kymo::gpu {

std::vector<std::uint32_t> immediate_post_dominators(const std::vector<std::vector<std::uint32_t>>& next_of) {
    const auto end = static_cast<std::uint32_t>(next_of.size());
    std::vector<std::vector<std::uint32_t>> before(end + 1);
    for (std::uint32_t block = 0; block < end; ++block) {
        for (const std::uint32_t next : next_of[block]) {
            before[next].push_back(block);
        }
    }
    // Blocks in post-order of a walk from the end against the edges; number 0 is not reached.
    std::vector<std::uint32_t> number(end + 1, 0);
    std::vector<std::uint32_t> order;
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{end, 0}};
    std::vector<bool> seen(end + 1, false);
    seen[end] = true;
    while (!stack.empty()) {
        auto& [block, next] = stack.back();
        if (next < before[block].size()) {
            const std::uint32_t to = before[block][next++];
            if (!seen[to]) {
                seen[to] = true;
                stack.emplace_back(to, 0);
            }
            continue;
        }
        order.push_back(block);
        number[block] = static_cast<std::uint32_t>(order.size());
        stack.pop_back();
    }
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::vector<std::uint32_t> meet(end + 1, kNone);
    meet[end] = end;
    const auto common = [&](std::uint32_t a, std::uint32_t b) {
        while (a != b) {
            while (number[a] < number[b]) {
                a = meet[a];
            }
            while (number[b] < number[a]) {
                b = meet[b];
            }
        }
        return a;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = order.size(); i-- > 0;) {
            const std::uint32_t block = order[i];
            if (block == end) {
                continue;
            }
            std::uint32_t found = kNone;
            for (const std::uint32_t next : next_of[block]) {
                if (meet[next] != kNone) {
                    found = found == kNone ? next : common(next, found);
                }
            }
            if (found != meet[block]) {
                meet[block] = found;
                changed = true;
            }
        }
    }
    meet.pop_back();
    for (std::uint32_t& one : meet) {
        one = one == kNone ? end : one;  // a loop without end
    }
    return meet;
}

}  // namespace kymo::gpu
