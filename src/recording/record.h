// One record of a chunk: table number and body. Used by scanning and packing; not for consumers.
#pragma once

#include "recording/decode.h"

#include <cstdint>
#include <span>

namespace kymo::recording {

struct Record {
    std::uint64_t number = 0;
    std::span<const std::uint8_t> body;
};

// Reads the record at `at` and moves `at` behind it. False: it does not fit before `end`.
inline bool read_record(const std::uint8_t*& at, const std::uint8_t* end, Record& record) {
    std::uint64_t length = 0;
    if (!detail::read_varint(at, end, record.number) || !detail::read_varint(at, end, length) ||
        length > static_cast<std::uint64_t>(end - at)) {
        return false;
    }
    record.body = {at, static_cast<std::size_t>(length)};
    at += length;
    return true;
}

}  // namespace kymo::recording
