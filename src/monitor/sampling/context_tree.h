// A thread's calling-context tree: every distinct call path once, as nodes that are only added.
//
// Used by one thread (its sampling handler, or itself under Quiet). The tree in memory is only the index by
// which a path finds its node again; the nodes themselves are rows in the recording, written through the
// `emit` callback before the sample that names them. The reader joins the threads' trees.
//
// Recursion is folded: a path passes twice through the same function only with a function new to the path in between.
// A frame whose function has been passed since then leads back there, in place of that frame. So every function of a
// path stays on it, each frame lies below a real caller of its function, the innermost frame is unchanged, and a
// path is as long as it has functions, not as the stack is deep. docs/recording-format.md has the full rules.
//
// There is room for kOwnSlots steps a thread (256 KiB), then for up to kMostSlots as long as the large trees of the
// process together take at most kMostBytes. Beyond that a path that is not known keeps
// its innermost frames only, below a root of their own, then its leaf, then nothing: what is dropped is outward of
// what is kept, so time is never charged to a place where it was not spent.
//
// Paths come leaf first, as the unwinder delivers them, and are entered from the root. The path entered last is kept:
// consecutive samples mostly share their outer frames, which then cost one comparison each instead of a search. Cost:
// about 1 ns a shared frame, 5–10 ns a frame found in the index, some 100 ns one that is new.
#pragma once

#include "base/ids.h"
#include "image/arena.h"
#include "unwind/walk.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kymo::monitor {

class ContextTree {
  public:
    static constexpr std::size_t kOwnSlots = std::size_t{1} << 13U;
    static constexpr std::size_t kMostSlots = std::size_t{1} << 19U;  // 16 MiB
    static constexpr std::size_t kMostBytes = std::size_t{32} << 20U;
    static constexpr std::uint32_t kMaxNodes = kMostSlots;
    static constexpr std::size_t kMaxDepth = 4096;
    static constexpr std::size_t kInnerFrames = 8;  // of a path that has no room

    explicit ContextTree(std::size_t most_slots = kMostSlots) : most_slots_(most_slots) {}
    ContextTree(const ContextTree&) = delete;
    ContextTree& operator=(const ContextTree&) = delete;

    // Clears everything, for the next thread that uses this state. The memory of a small tree is kept.
    void clear() {
        if (capacity_ > kOwnSlots) {
            give_back_index();
        } else if (used_ != 0) {
            __builtin_memset(slots_, 0, capacity_ * sizeof(Slot));
        }
        used_ = 0;
        count_ = 0;
        depth_ = 0;
    }

    void free() {
        give_back_index();
        if (last_ != nullptr) {
            image::unmap_pages(last_, kMaxDepth * sizeof(PathStep));
            last_ = nullptr;
        }
        clear();
    }

    std::uint32_t nodes() const { return count_; }
    static std::size_t bytes_of_large() { return large_bytes_.load(std::memory_order_relaxed); }

    struct Entered {
        ContextId leaf{0};     // 0: an empty path, or no room even for the leaf
        bool folded = false;   // recursion was left out
        bool dropped = false;  // outer frames were left out for lack of room
    };

    // Distinguishes the places of a path; also function_of()'s result if no function is known.
    // User-space addresses have 47 bits; 16 bits are left for the image.
    static std::uint64_t key_of(const unwind::Frame& frame) {
        return (static_cast<std::uint64_t>(raw(frame.image)) << 48U) ^ frame.offset;
    }

    // Enters a path given leaf first. function_of(frame): a number for the frame's function.
    // emit(id, parent, frame, dropped) is called for each new node and returns false when the row could not be
    // written; `dropped`: the node is outermost only because outer frames were left out.
    template <typename FunctionOf, typename Emit>
    Entered enter(std::span<const unwind::Frame> leaf_first, const FunctionOf& function_of, const Emit& emit) {
        if (leaf_first.empty()) {
            return {};
        }
        if (!reserve()) {
            return {.dropped = true};
        }
        std::uint32_t at = 0;
        std::size_t depth = 0;
        bool shared = true;
        for (std::size_t i = leaf_first.size(); i-- > 0; ++depth) {
            const std::uint64_t key = key_of(leaf_first[i]);
            shared = shared && depth < depth_ && last_[depth].key == key;
            if (shared) {
                at = last_[depth].step;
                continue;
            }
            const std::uint32_t step = step_from(node_in(at), key, leaf_first[i], kWhole, function_of, emit);
            if (step == 0) {
                depth_ = depth < kMaxDepth ? depth : kMaxDepth;
                return enter_inner(leaf_first, function_of, emit);
            }
            at = step | (at & kFolded);
            if (depth < kMaxDepth) {
                last_[depth] = {key, at};
            }
        }
        depth_ = depth < kMaxDepth ? depth : kMaxDepth;
        return {ContextId{node_in(at)}, (at & kFolded) != 0, false};
    }

  private:
    // One step of a path: from a node, by a frame, to a node. Usually its child; in recursion that of an ancestor.
    struct Slot {
        std::uint64_t key;
        std::uint32_t from;
        std::uint32_t step;  // the node, and kFolded; 0: free
    };
    static_assert(sizeof(Slot) == 16);
    struct Node {
        std::uint64_t function;
        std::uint32_t parent;
        std::uint32_t is_first;  // its function is not on the path further out
    };
    struct PathStep {
        std::uint64_t key;
        std::uint32_t step;  // kFolded: here, or further out
    };

    static constexpr std::uint32_t kFolded = std::uint32_t{1} << 31U;
    static constexpr std::uint32_t kInnerRoot = kFolded - 1;  // in place of 0: paths without their outer frames

    // Eighths of the slots that are for paths of a kind, when there can be no more of them.
    enum Room : std::uint8_t { kWhole = 5, kInner = 6, kLeaf = 7 };

    static constexpr std::uint32_t node_in(std::uint32_t step) { return step & ~kFolded; }

    static std::size_t hash(std::uint64_t key, std::uint32_t from) {
        std::uint64_t mixed = (key ^ (static_cast<std::uint64_t>(from) << 32U)) * 0x9E3779B97F4A7C15U;
        mixed ^= mixed >> 29U;
        mixed *= 0xBF58476D1CE4E5B9U;
        return static_cast<std::size_t>(mixed ^ (mixed >> 32U));
    }

    std::uint32_t find(std::uint32_t from, std::uint64_t key) const {
        std::size_t at = hash(key, from) & (capacity_ - 1);
        while (slots_[at].step != 0 && (slots_[at].key != key || slots_[at].from != from)) {
            at = (at + 1) & (capacity_ - 1);
        }
        return slots_[at].step;
    }

    // Precondition: there is room.
    void keep(std::uint32_t from, std::uint64_t key, std::uint32_t step) {
        put(slots_, capacity_, {key, from, step});
        ++used_;
    }
    static void put(Slot* slots, std::size_t capacity, const Slot& slot) {
        std::size_t at = hash(slot.key, slot.from) & (capacity - 1);
        while (slots[at].step != 0) {
            at = (at + 1) & (capacity - 1);
        }
        slots[at] = slot;
    }

    template <typename FunctionOf, typename Emit>
    Entered enter_inner(std::span<const unwind::Frame> leaf_first, const FunctionOf& function_of, const Emit& emit) {
        for (const auto& [room, most] : {RoomFor{kInner, kInnerFrames}, RoomFor{kLeaf, 1}}) {
            std::uint32_t at = kInnerRoot;
            bool folded = false;
            std::size_t left = leaf_first.size() < most ? leaf_first.size() : most;
            for (; left > 0; --left) {
                const unwind::Frame& frame = leaf_first[left - 1];
                const std::uint32_t step = step_from(at, key_of(frame), frame, room, function_of, emit);
                if (step == 0) {
                    break;
                }
                at = node_in(step);
                folded = folded || (step & kFolded) != 0;
            }
            if (left == 0) {
                return {ContextId{at}, folded, true};
            }
        }
        return {.dropped = true};
    }
    struct RoomFor {
        Room room;
        std::size_t most;
    };

    // 0: there is no room, or the row could not be written.
    template <typename FunctionOf, typename Emit>
    std::uint32_t step_from(std::uint32_t from, std::uint64_t key, const unwind::Frame& frame, Room room,
                            const FunctionOf& function_of, const Emit& emit) {
        if (const std::uint32_t known = find(from, key); known != 0) {
            return known;
        }
        if (!has_room(room)) {
            return 0;
        }
        const std::uint64_t function = function_of(frame);
        std::uint32_t parent = from;
        bool is_first = true;
        bool is_since_newest = true;  // no function new to the path lies further in
        for (std::uint32_t at = from; at != 0 && at != kInnerRoot; at = nodes_[at].parent) {
            const Node& node = nodes_[at];
            if (node.function == function) {
                parent = is_since_newest ? node.parent : from;
                is_first = is_since_newest && node.is_first != 0;
                break;
            }
            is_since_newest = is_since_newest && node.is_first == 0;
        }
        if (parent == from) {
            return add(from, key, function, is_first, frame, emit);
        }
        std::uint32_t step = node_in(find(parent, key));
        if (step == 0) {
            step = add(parent, key, function, is_first, frame, emit);
        }
        if (step != 0) {
            step |= kFolded;
            keep(from, key, step);
        }
        return step;
    }

    template <typename Emit>
    std::uint32_t add(std::uint32_t parent, std::uint64_t key, std::uint64_t function, bool is_first,
                      const unwind::Frame& frame, const Emit& emit) {
        const std::uint32_t node = count_ + 1;
        const bool is_inner = parent == kInnerRoot;
        if (!emit(ContextId{node}, ContextId{is_inner ? 0 : parent}, frame, is_inner)) {
            return 0;
        }
        nodes_[node] = {function, parent, is_first ? 1U : 0U};
        keep(parent, key, node);
        count_ = node;
        return node;
    }

    // For two slots: a step back may need a node as well.
    bool has_room(Room room) {
        while (used_ + 2 > capacity_ / 8 * kWhole && grow()) {
        }
        return used_ + 2 <= capacity_ / 8 * room;
    }

    bool reserve() {
        if (capacity_ == 0 && !resize(kFirstSlots)) {
            return false;
        }
        if (last_ == nullptr) {
            last_ = static_cast<PathStep*>(image::map_pages(kMaxDepth * sizeof(PathStep)));
        }
        return last_ != nullptr;
    }

    bool grow() { return capacity_ < most_slots_ && resize(capacity_ * 2); }

    bool resize(std::size_t capacity) {
        if (!is_within_limit(capacity)) {
            return false;
        }
        auto* slots = static_cast<Slot*>(image::map_pages(capacity * sizeof(Slot)));
        auto* nodes = static_cast<Node*>(image::map_pages(capacity * sizeof(Node)));
        if (slots == nullptr || nodes == nullptr) {
            drop(slots, nodes, capacity);
            return false;
        }
        for (std::size_t i = 0; i < capacity_; ++i) {
            if (slots_[i].step != 0) {
                put(slots, capacity, slots_[i]);
            }
        }
        if (count_ != 0) {
            __builtin_memcpy(nodes, nodes_, (std::size_t{count_} + 1) * sizeof(Node));
        }
        drop(slots_, nodes_, capacity_);
        slots_ = slots;
        nodes_ = nodes;
        capacity_ = capacity;
        return true;
    }

    void give_back_index() {
        drop(slots_, nodes_, capacity_);
        slots_ = nullptr;
        nodes_ = nullptr;
        capacity_ = 0;
        used_ = 0;
    }

    static constexpr std::size_t large_bytes(std::size_t capacity) {
        return capacity <= kOwnSlots ? 0 : capacity * (sizeof(Slot) + sizeof(Node));
    }
    static bool is_within_limit(std::size_t capacity) {
        const std::size_t bytes = large_bytes(capacity);
        if (bytes == 0 || large_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= kMostBytes) {
            return true;
        }
        large_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
        return false;
    }
    static void drop(Slot* slots, Node* nodes, std::size_t capacity) {
        if (slots != nullptr) {
            image::unmap_pages(slots, capacity * sizeof(Slot));
        }
        if (nodes != nullptr) {
            image::unmap_pages(nodes, capacity * sizeof(Node));
        }
        large_bytes_.fetch_sub(large_bytes(capacity), std::memory_order_relaxed);
    }

    static constexpr std::size_t kFirstSlots = 256;  // one page

    inline static constinit std::atomic<std::size_t> large_bytes_{0};

    std::size_t most_slots_;
    Slot* slots_ = nullptr;
    Node* nodes_ = nullptr;  // by id
    std::size_t capacity_ = 0;
    std::size_t used_ = 0;  // slots
    std::uint32_t count_ = 0;
    PathStep* last_ = nullptr;  // the path entered last, as it came
    std::size_t depth_ = 0;
};

}  // namespace kymo::monitor
