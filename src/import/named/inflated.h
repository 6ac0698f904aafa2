// A part of a file that zlib has compressed, as a whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kymo::import::named {

struct Inflated {
    std::vector<std::uint8_t> bytes;
    bool is_whole = false;  // else the part is damaged, or cut off, behind these bytes
    bool is_large = false;  // it has more than was asked for, and no bytes
};

// Any bytes are safe. Memory: at most `most`, and half as much again while they grow.
Inflated inflate_part(std::span<const std::uint8_t> compressed, std::size_t most);

}  // namespace kymo::import::named
