// A thread's calling-context tree: every distinct call path once, as nodes that only ever get added.
//
// Used by one thread (its sampling handler, or itself under Quiet). The tree in memory is only the index by
// which a path finds its node again; the nodes themselves are rows in the recording, written through the
// `emit` callback before the sample that names them. The reader joins the threads' trees.
//
// Paths come leaf first, as the unwinder delivers them, and are entered from the root. The path entered last is kept:
// consecutive samples mostly share their outer frames, which then cost one comparison each instead of a
// search. Cost: about 1 ns a shared frame, 5–10 ns a frame found in the index.
//
// Memory: 16 bytes a node at a load of at most a half, in pages of its own; beyond kMaxNodes paths are cut
// (enter() then returns the deepest node there is, and says so).
#pragma once

#include "base/ids.h"
#include "image/arena.h"
#include "unwind/walk.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace kymo::monitor {

class ContextTree {
  public:
    static constexpr std::uint32_t kMaxNodes = 1U << 22U;
    static constexpr std::size_t kMaxDepth = 4096;

    ContextTree() = default;
    ContextTree(const ContextTree&) = delete;
    ContextTree& operator=(const ContextTree&) = delete;

    // Forgets everything; keeps the memory. For the next thread that uses this state.
    void clear() {
        if (slots_ != nullptr && count_ != 0) {
            __builtin_memset(slots_, 0, capacity_ * sizeof(Slot));
        }
        count_ = 0;
        depth_ = 0;
    }

    void free() {
        image::unmap_pages(slots_, capacity_ * sizeof(Slot));
        image::unmap_pages(last_, kMaxDepth * sizeof(PathStep));
        slots_ = nullptr;
        last_ = nullptr;
        capacity_ = 0;
        clear();
    }

    std::uint32_t nodes() const { return count_; }

    // Enters a path given leaf first; returns its leaf's node. emit(id, parent, frame) is called for each new
    // node and returns false when the row could not be written: the node is then not kept, and the path ends
    // there. *cut is set when the path is not whole.
    template <typename Emit>
    ContextId enter(std::span<const unwind::Frame> leaf_first, const Emit& emit, bool* cut) {
        *cut = false;
        if (leaf_first.empty() || !reserve()) {
            *cut = !leaf_first.empty();
            return ContextId{0};
        }
        std::uint32_t parent = 0;
        std::size_t depth = 0;
        bool shared = true;
        for (std::size_t i = leaf_first.size(); i-- > 0; ++depth) {
            const unwind::Frame& frame = leaf_first[i];
            const std::uint64_t key = key_of(frame);
            shared = shared && depth < depth_ && last_[depth].key == key;
            if (shared) {
                parent = last_[depth].node;
                continue;
            }
            const std::uint32_t node = find_or_add(key, parent, frame, emit);
            if (node == 0) {
                *cut = true;
                break;
            }
            parent = node;
            if (depth < kMaxDepth) {
                last_[depth] = {key, node};
            }
        }
        depth_ = depth < kMaxDepth ? depth : kMaxDepth;
        return ContextId{parent};
    }

  private:
    struct Slot {
        std::uint64_t key;
        std::uint32_t parent;
        std::uint32_t node;  // 0: free
    };
    static_assert(sizeof(Slot) == 16);
    struct PathStep {
        std::uint64_t key;
        std::uint32_t node;
    };

    // User-space addresses have 47 bits; 16 bits are left for the image.
    static std::uint64_t key_of(const unwind::Frame& frame) {
        return (static_cast<std::uint64_t>(raw(frame.image)) << 48U) ^ frame.offset;
    }

    static std::size_t hash(std::uint64_t key, std::uint32_t parent) {
        std::uint64_t mixed = (key ^ (static_cast<std::uint64_t>(parent) << 32U)) * 0x9E3779B97F4A7C15U;
        mixed ^= mixed >> 29U;
        mixed *= 0xBF58476D1CE4E5B9U;
        return static_cast<std::size_t>(mixed ^ (mixed >> 32U));
    }

    template <typename Emit>
    std::uint32_t find_or_add(std::uint64_t key, std::uint32_t parent, const unwind::Frame& frame, const Emit& emit) {
        std::size_t at = hash(key, parent) & (capacity_ - 1);
        for (; slots_[at].node != 0; at = (at + 1) & (capacity_ - 1)) {
            if (slots_[at].key == key && slots_[at].parent == parent) {
                return slots_[at].node;
            }
        }
        // One free slot must remain, or searching would not end; grow() may have failed for want of memory.
        if (count_ >= kMaxNodes || count_ + 1 >= capacity_) {
            return 0;
        }
        const std::uint32_t node = count_ + 1;
        if (!emit(ContextId{node}, ContextId{parent}, frame)) {
            return 0;
        }
        slots_[at] = {key, parent, node};
        count_ = node;
        if (2 * static_cast<std::size_t>(count_) > capacity_) {
            grow();
        }
        return node;
    }

    bool reserve() {
        if (slots_ == nullptr) {
            slots_ = static_cast<Slot*>(image::map_pages(kFirstSlots * sizeof(Slot)));
            capacity_ = slots_ == nullptr ? 0 : kFirstSlots;
        }
        if (last_ == nullptr) {
            last_ = static_cast<PathStep*>(image::map_pages(kMaxDepth * sizeof(PathStep)));
        }
        return slots_ != nullptr && last_ != nullptr;
    }

    void grow() {
        const std::size_t capacity = capacity_ * 2;
        auto* slots = static_cast<Slot*>(image::map_pages(capacity * sizeof(Slot)));
        if (slots == nullptr) {
            return;
        }
        for (std::size_t i = 0; i < capacity_; ++i) {
            if (slots_[i].node != 0) {
                std::size_t at = hash(slots_[i].key, slots_[i].parent) & (capacity - 1);
                while (slots[at].node != 0) {
                    at = (at + 1) & (capacity - 1);
                }
                slots[at] = slots_[i];
            }
        }
        image::unmap_pages(slots_, capacity_ * sizeof(Slot));
        slots_ = slots;
        capacity_ = capacity;
    }

    static constexpr std::size_t kFirstSlots = 256;  // one page

    Slot* slots_ = nullptr;
    std::size_t capacity_ = 0;
    std::uint32_t count_ = 0;
    PathStep* last_ = nullptr;
    std::size_t depth_ = 0;
};

}  // namespace kymo::monitor
