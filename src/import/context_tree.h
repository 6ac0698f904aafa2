// The calling-context tree of one imported stream: call paths become nodes, each written once.
//
// Not thread-safe. Cost: one look-up in a hash table a frame.
#pragma once

#include "base/ids.h"
#include "recording/tables/samples.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace kymo::import {

class ContextTree {
  public:
    // The node of this frame below `parent`; 0: the root. `write(const recording::Context&)` is called for a new one.
    template <typename Write>
    std::uint64_t enter(std::uint64_t parent, std::uint64_t image, std::uint64_t offset, const Write& write) {
        const auto [known, is_new] = nodes_.try_emplace({parent, image, offset}, nodes_.size() + 1);
        if (is_new) {
            write(recording::Context{known->second, parent, image, offset});
        }
        return known->second;
    }

  private:
    struct Node {
        std::uint64_t parent = 0;
        std::uint64_t image = 0;
        std::uint64_t offset = 0;
        bool operator==(const Node&) const = default;
    };
    struct Hash {
        // Multiplication by odd constants mixes upwards, the shift back down.
        std::size_t operator()(const Node& node) const {
            std::uint64_t mixed = node.offset * 0x9E3779B97F4A7C15ULL;
            mixed = (mixed ^ (mixed >> 29U) ^ node.parent) * 0xBF58476D1CE4E5B9ULL;
            mixed = (mixed ^ (mixed >> 32U) ^ node.image) * 0x94D049BB133111EBULL;
            return static_cast<std::size_t>(mixed ^ (mixed >> 31U));
        }
    };
    std::unordered_map<Node, std::uint64_t, Hash> nodes_;
};

}  // namespace kymo::import
