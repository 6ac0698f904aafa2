// Address → image slot, for every page of the address space: two levels, one word a gigabyte and two bytes a page.
//
// Contract: find() is two loads, from any thread or handler, without locks, and never sees a half-made entry (entries
// are single atomic words). Writers take turns (ImageSet's registration lock). A slot found may have been retired
// since: the caller checks it. Memory: 2 MiB of address space, and 512 KiB for every gigabyte that holds an image;
// only touched pages count.
#pragma once

#include "image/arena.h"

#include <atomic>
#include <cstdint>

namespace kymo::unwind {

class PageMap {
  public:
    using Slot = std::uint16_t;  // 0: no image

    bool create() {
        top_ = static_cast<std::atomic<Leaf*>*>(image::map_pages(sizeof(std::atomic<Leaf*>) << kTopBits));
        return top_ != nullptr;
    }

    // No find() is under way, and none follows.
    void release() {
        constexpr std::size_t kLeaves = std::size_t{1} << kTopBits;
        for (std::size_t i = 0; top_ != nullptr && i < kLeaves; ++i) {
            if (Leaf* leaf = top_[i].load(std::memory_order_relaxed); leaf != nullptr) {
                image::unmap_pages(leaf, sizeof(Leaf));
            }
        }
        if (top_ != nullptr) {
            image::unmap_pages(top_, sizeof(std::atomic<Leaf*>) << kTopBits);
            top_ = nullptr;
        }
    }

    Slot find(std::uint64_t address) const {
        if (address >> kAddressBits != 0) {
            return 0;
        }
        const Leaf* leaf = top_[address >> kLeafShift].load(std::memory_order_acquire);
        return leaf == nullptr ? Slot{0} : leaf->slots[page_in_leaf(address)].load(std::memory_order_acquire);
    }

    // False: no memory, or beyond the addresses that a program can have; pages before the failure are set.
    bool set(std::uint64_t begin, std::uint64_t end, Slot slot) {
        if (end > std::uint64_t{1} << kAddressBits || begin > end) {
            return false;
        }
        for (std::uint64_t at = begin & ~(kPage - 1); at < end; at += kPage) {
            std::atomic<Leaf*>& entry = top_[at >> kLeafShift];
            Leaf* leaf = entry.load(std::memory_order_relaxed);
            if (leaf == nullptr) {
                leaf = static_cast<Leaf*>(image::map_pages(sizeof(Leaf)));
                if (leaf == nullptr) {
                    return false;
                }
                entry.store(leaf, std::memory_order_release);
            }
            leaf->slots[page_in_leaf(at)].store(slot, std::memory_order_release);
        }
        return true;
    }

  private:
    static constexpr unsigned kAddressBits = 48;
    static constexpr unsigned kLeafShift = 30;
    static constexpr unsigned kPageShift = 12;
    static constexpr unsigned kTopBits = kAddressBits - kLeafShift;
    static constexpr std::uint64_t kPage = std::uint64_t{1} << kPageShift;
    struct Leaf {
        std::atomic<Slot> slots[std::size_t{1} << (kLeafShift - kPageShift)];
    };
    static std::size_t page_in_leaf(std::uint64_t address) {
        return (address >> kPageShift) & ((std::size_t{1} << (kLeafShift - kPageShift)) - 1);
    }

    std::atomic<Leaf*>* top_ = nullptr;
};

}  // namespace kymo::unwind
