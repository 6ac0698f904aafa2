// Pages that live as long as the block.
#pragma once

#include "image/arena.h"

namespace kymo::image {

class Scratch {
  public:
    explicit Scratch(std::size_t bytes) : bytes_(bytes), memory_(static_cast<std::uint8_t*>(map_pages(bytes))) {}
    ~Scratch() { unmap_pages(memory_, bytes_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    // Empty if the kernel refuses.
    std::span<std::uint8_t> bytes() const { return {memory_, memory_ == nullptr ? 0 : bytes_}; }

  private:
    std::size_t bytes_;
    std::uint8_t* memory_;
};

}  // namespace kymo::image
