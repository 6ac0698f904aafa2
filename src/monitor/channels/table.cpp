#include "monitor/channels/table.h"

#include "image/arena.h"

namespace kymo::monitor {

ChannelSlot* ChannelTable::slot(int descriptor) {
    const auto number = static_cast<std::uint32_t>(descriptor);
    if (number >= capacity) {
        if (number >= kMostDescriptors) {
            return nullptr;
        }
        std::uint32_t more = capacity == 0 ? 4096 / sizeof(ChannelSlot) : capacity;
        while (more <= number) {
            more *= 2;
        }
        auto* const grown = static_cast<ChannelSlot*>(image::map_pages(std::size_t{more} * sizeof(ChannelSlot)));
        if (grown == nullptr) {
            return nullptr;
        }
        if (slots != nullptr) {
            __builtin_memcpy(static_cast<void*>(grown), slots, std::size_t{capacity} * sizeof(ChannelSlot));
            image::unmap_pages(slots, std::size_t{capacity} * sizeof(ChannelSlot));
        }
        slots = grown;
        capacity = more;
    }
    return &slots[number];
}

void ChannelTable::release() {
    if (slots != nullptr) {
        image::unmap_pages(slots, std::size_t{capacity} * sizeof(ChannelSlot));
    }
    slots = nullptr;
    capacity = 0;
}

}  // namespace kymo::monitor
