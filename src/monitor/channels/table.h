// A thread's view of the descriptors that it reads and writes, by their numbers: the rows of cells of those that
// are ends of channels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kymo::monitor {

struct ChannelSlot {
    std::uint32_t seen = 0;        // DescriptorChanges::of() when it was examined; 0: never
    bool is_end = false;           // of a channel
    std::uint64_t object = 0;      // object_of()
    std::uint64_t looked = 0;      // when; ns
    std::uint64_t* cells[2] = {};  // of what it sends and receives (cells::ChannelCell); null: nothing yet
};

// Zeroed pages; `slots` null: none yet. Descriptors from kMostDescriptors on are not counted.
struct ChannelTable {
    static constexpr std::uint32_t kMostDescriptors = 1U << 17U;
    ChannelSlot* slots = nullptr;
    std::uint32_t capacity = 0;

    // Null: no memory, or too large a number.
    ChannelSlot* slot(int descriptor);
    void release();
};

}  // namespace kymo::monitor
