// Fields of protobuf messages in foreign bytes.
#pragma once

#include <cstdint>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <span>
#include <utility>

namespace kymo::import::named {

// A field's number and kind in one number, for switches.
constexpr std::uint32_t number_field(std::uint32_t field) {
    return protozero::tag_and_type(field, protozero::pbf_wire_type::varint);
}
constexpr std::uint32_t part_field(std::uint32_t field) {
    return protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited);
}

inline std::span<const std::uint8_t> part_of(protozero::pbf_reader& at) {
    const protozero::data_view view = at.get_view();
    return {reinterpret_cast<const std::uint8_t*>(view.data()), view.size()};
}

// Calls take(reader, number and kind) for each field of the message; it must take the field's value or skip() it.
// False: the message is damaged or cut off behind the fields that were taken.
template <typename Take>
bool each_field(std::span<const std::uint8_t> message, Take&& take) {
    try {
        protozero::pbf_reader at(reinterpret_cast<const char*>(message.data()), message.size());
        while (at.next()) {
            take(at, at.tag_and_type());
        }
        return true;
    } catch (const protozero::exception&) {
        return false;
    }
}

// Numbers of a repeated field, which are in one part or in a field each. `add` returns false where there are enough.
template <typename Add>
void each_number(protozero::pbf_reader& at, std::uint32_t kind, std::uint32_t field, Add&& add) {
    if (kind == number_field(field)) {
        add(at.get_uint64());
        return;
    }
    for (const std::uint64_t one : at.get_packed_uint64()) {
        if (!add(one)) {
            return;
        }
    }
}

}  // namespace kymo::import::named
