#include "spacetime/evidence/occurrences/code_lives.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

constexpr std::uint32_t kElsewhere = 0;         // profile node
constexpr std::size_t kMostPieces = 1U << 14U;  // between two samples: more are thousands of waits

}  // namespace

KeptNodes groups_as_nodes(std::size_t groups) {
    KeptNodes nodes;
    nodes.leaf_of.push_back(kNone);
    for (std::uint32_t i = 0; i < groups; ++i) {
        nodes.structure.push_back(kNone);
        nodes.parent.push_back(kNone);
        nodes.depth.push_back(0);
        nodes.children.push_back(0);
        nodes.leaf_of.push_back(i);
    }
    return nodes;
}

void CodeLives::piece(const StateInterval& interval, std::uint32_t target) {
    if (pieces_.size() >= kMostPieces) {
        pass_on(kElsewhere);
    }
    pieces_.push_back({interval, target});
}

void CodeLives::sample(std::span<const std::int64_t> deltas) {
    for (std::size_t i = 0; i < deltas.size(); ++i) {
        deltas_[i] += deltas[i];
    }
}

void CodeLives::end_pair(std::uint64_t time, std::uint32_t group, std::uint32_t processor) {
    const std::uint32_t node = group == kNone ? kElsewhere : group + 1;
    pass_on(node);
    occurrences_.sample(time, node, processor, deltas_);
    std::fill(deltas_.begin(), deltas_.end(), 0);
}

void CodeLives::finish() {
    pass_on(kElsewhere);
    occurrences_.finish();
}

void CodeLives::pass_on(std::uint32_t node) {
    for (const Piece& piece : pieces_) {
        const bool is_wait = piece.target != kStreamEdge || piece.interval.state == ThreadState::kWaiting;
        occurrences_.piece(piece.interval, piece.interval.state == ThreadState::kSpinning,
                           is_wait ? kElsewhere : node, piece.target);
    }
    pieces_.clear();
}

}  // namespace kymo::spacetime
