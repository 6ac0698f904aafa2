// Memory that the monitor takes for itself, directly from the kernel.
//
// Contract: usable in signal handlers (mmap is a plain system call; errno is kept). Nothing is freed before the
// Arena's owner calls release(), because a handler on another thread may still read it. Not synchronised: one
// caller at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::image {

// Zeroed pages, or nullptr. `bytes` is rounded up to whole pages by the kernel; untouched pages cost nothing.
void* map_pages(std::size_t bytes);
void unmap_pages(void* pages, std::size_t bytes);
// Makes a mapping larger or smaller; it may move. nullptr: refused, and the old mapping stays.
void* resize_pages(void* pages, std::size_t old_bytes, std::size_t new_bytes);

class Arena {
  public:
    constexpr Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // Zeroed memory aligned to 16 bytes, or nullptr if the kernel refuses.
    void* allocate(std::size_t bytes);

    template <typename T>
    T* allocate_array(std::size_t count) {
        static_assert(alignof(T) <= 16);
        return count > SIZE_MAX / sizeof(T) ? nullptr : static_cast<T*>(allocate(count * sizeof(T)));
    }

    // Copies; empty if no memory is available.
    std::string_view copy(std::string_view text);
    std::span<const std::uint8_t> copy(std::span<const std::uint8_t> bytes);

    // Unmaps everything that was handed out.
    void release();

  private:
    struct Block {
        Block* next;
        std::size_t bytes;
    };
    Block* map_block(std::size_t bytes);

    Block* blocks_ = nullptr;
    std::uint8_t* free_ = nullptr;
    std::size_t left_ = 0;
};

}  // namespace kymo::image
