// When and where a record was made, and by which event.
#pragma once

#include "import/perf/events.h"

#include <optional>

namespace kymo::import::perf {

constexpr std::size_t kRecordHeader = 8;

struct RecordHeader {
    std::uint32_t type = 0;
    std::uint16_t misc = 0;
    std::uint16_t size = 0;  // with the header
};

// Precondition: at least kRecordHeader bytes.
inline RecordHeader read_record_header(std::span<const std::uint8_t> bytes, ByteOrder order) {
    Bytes from(bytes, order);
    const std::uint32_t type = from.u32();
    const std::uint16_t misc = from.u16();
    return {type, misc, from.u16()};
}

struct Trailer {
    Origin origin;
    std::uint64_t id = 0;
    std::size_t bytes = 0;  // at the record's end
};

// Of a record that is not a sample, by its bytes after the header.
Trailer read_trailer(const Events& events, std::span<const std::uint8_t> body, ByteOrder order);

// The record's time, 0 if it has none; empty: a sample of an unknown event. `record` is all of it.
std::optional<std::uint64_t> time_of(const Events& events, const RecordHeader& header,
                                     std::span<const std::uint8_t> record, ByteOrder order);

// perf itself writes a time of all ones where there is none.
constexpr std::uint64_t given_time(std::uint64_t time) {
    return time == ~std::uint64_t{0} ? 0 : time;
}

Mode mode_of(std::uint16_t misc);

}  // namespace kymo::import::perf
