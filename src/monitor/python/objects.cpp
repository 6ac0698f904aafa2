#include "monitor/python/objects.h"

namespace kymo::monitor::python {
namespace {

constexpr std::uint64_t kMostBytes = 1U << 20U;

// Appends a character in UTF-8. False: it does not fit.
bool append(std::uint32_t character, std::span<char> room, std::size_t* used) {
    const std::size_t more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x1'0000 ? 2 : 3;
    if (room.size() - *used < more + 1) {
        return false;
    }
    constexpr std::uint8_t kFirst[] = {0, 0xc0, 0xe0, 0xf0};
    room[(*used)++] = static_cast<char>(kFirst[more] | character >> (6 * more));
    for (std::size_t i = more; i-- > 0;) {
        room[(*used)++] = static_cast<char>(0x80U | (character >> (6 * i) & 0x3fU));
    }
    return true;
}

}  // namespace

std::span<const std::uint8_t> Objects::bytes(std::uint64_t object) {
    if (!is_readable(object, layout_.bytes_data)) {
        return {};
    }
    const std::uint64_t size = word(object, layout_.bytes_size);
    if (size > kMostBytes || !is_readable(object, layout_.bytes_data + size)) {
        return {};
    }
    return {reinterpret_cast<const std::uint8_t*>(object + layout_.bytes_data), static_cast<std::size_t>(size)};
}

std::string_view Objects::text(std::uint64_t object, std::span<char> room) {
    if (!is_readable(object, layout_.ascii_data)) {
        return {};
    }
    // struct { unsigned interned : 2, kind : 3, compact : 1, ascii : 1, …; }
    const auto state = at<std::uint32_t>(object, layout_.text_state);
    const std::uint32_t kind = state >> 2U & 7U;
    const bool is_compact = (state >> 5U & 1U) != 0;
    const bool is_ascii = (state >> 6U & 1U) != 0;
    const std::uint64_t length = word(object, layout_.text_length);
    if (!is_compact || (kind != 1 && kind != 2 && kind != 4) || length > kMostBytes) {
        return {};
    }
    const std::size_t data = is_ascii ? layout_.ascii_data : layout_.compact_data;
    const std::uint64_t read = length < room.size() ? length : room.size();  // a character has a byte or more
    if (!is_readable(object, data + read * kind)) {
        return {};
    }
    std::size_t used = 0;
    for (std::uint64_t i = 0; i < read; ++i) {
        const std::size_t place = data + i * kind;
        const std::uint32_t character = kind == 1   ? at<std::uint8_t>(object, place)
                                        : kind == 2 ? at<std::uint16_t>(object, place)
                                                    : at<std::uint32_t>(object, place);
        if (!append(character, room, &used)) {
            break;
        }
    }
    return {room.data(), used};
}

}  // namespace kymo::monitor::python
