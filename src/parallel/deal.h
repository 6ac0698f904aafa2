// Deals pieces of work to equal workers: the heaviest first, each to the worker with least so far. The most that one
// worker gets is at most 4/3 of what the best dealing gives it (Graham, Bounds on multiprocessing timing anomalies,
// 1969).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace kymo::parallel {

// By piece: its worker, below `workers` (1 or more). The same weights are dealt in the same way everywhere.
// Cost: linear in the pieces, times the logarithm of both.
inline std::vector<std::uint32_t> deal(std::span<const std::uint64_t> weights, std::uint32_t workers) {
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    using Load = std::pair<std::uint64_t, std::uint32_t>;  // so far, worker
    std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
        loads.emplace(0, worker);
    }
    std::vector<std::uint32_t> dealt(weights.size());
    for (const std::size_t piece : order) {
        const auto [load, worker] = loads.top();
        loads.pop();
        dealt[piece] = worker;
        loads.emplace(load + std::max<std::uint64_t>(weights[piece], 1), worker);
    }
    return dealt;
}

}  // namespace kymo::parallel
