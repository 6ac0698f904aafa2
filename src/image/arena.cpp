#include "image/arena.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace kymo::image {

namespace {
constexpr std::size_t kBlockBytes = std::size_t{64} << 10U;
constexpr std::size_t kAlignment = 16;
constexpr std::size_t round_up(std::size_t bytes) {
    return (bytes + kAlignment - 1) & ~(kAlignment - 1);
}
}  // namespace

void* map_pages(std::size_t bytes) {
    const int saved = errno;
    void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = saved;
    return pages == MAP_FAILED ? nullptr : pages;
}

void unmap_pages(void* pages, std::size_t bytes) {
    if (pages != nullptr) {
        const int saved = errno;
        munmap(pages, bytes);
        errno = saved;
    }
}

void* resize_pages(void* pages, std::size_t old_bytes, std::size_t new_bytes) {
    const int saved = errno;
    void* moved = mremap(pages, old_bytes, new_bytes, MREMAP_MAYMOVE);
    errno = saved;
    return moved == MAP_FAILED ? nullptr : moved;
}

Arena::Block* Arena::map_block(std::size_t bytes) {
    auto* block = static_cast<Block*>(map_pages(bytes));
    if (block != nullptr) {
        block->next = blocks_;
        block->bytes = bytes;
        blocks_ = block;
    }
    return block;
}

void* Arena::allocate(std::size_t bytes) {
    constexpr std::size_t kHeader = round_up(sizeof(Block));
    if (bytes > SIZE_MAX / 2) {
        return nullptr;
    }
    bytes = round_up(bytes == 0 ? 1 : bytes);
    if (bytes > left_) {
        // A large request gets a mapping of its own, and the rest of the current block stays in use.
        const bool large = bytes >= kBlockBytes / 4;
        Block* block = map_block(large ? bytes + kHeader : kBlockBytes);
        if (block == nullptr) {
            return nullptr;
        }
        auto* memory = reinterpret_cast<std::uint8_t*>(block) + kHeader;
        if (large) {
            return memory;
        }
        free_ = memory;
        left_ = kBlockBytes - kHeader;
    }
    void* memory = free_;
    free_ += bytes;
    left_ -= bytes;
    return memory;
}

std::span<const std::uint8_t> Arena::copy(std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) {
        return {};
    }
    auto* memory = allocate_array<std::uint8_t>(bytes.size());
    if (memory == nullptr) {
        return {};
    }
    std::memcpy(memory, bytes.data(), bytes.size());
    return {memory, bytes.size()};
}

std::string_view Arena::copy(std::string_view text) {
    const auto bytes = copy(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void Arena::release() {
    while (blocks_ != nullptr) {
        Block* block = blocks_;
        blocks_ = block->next;
        unmap_pages(block, block->bytes);
    }
    free_ = nullptr;
    left_ = 0;
}

}  // namespace kymo::image
