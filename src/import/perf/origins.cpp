#include "import/perf/origins.h"

#include <linux/perf_event.h>

namespace kymo::import::perf {
namespace {

// Of records that have it without a trailer, too.
std::uint64_t own_time(std::uint32_t type, std::span<const std::uint8_t> body, ByteOrder order) {
    switch (type) {
        case PERF_RECORD_FORK:
        case PERF_RECORD_EXIT:
            return given_time(number_at(body, 16, order));
        case PERF_RECORD_THROTTLE:
        case PERF_RECORD_UNTHROTTLE:
            return given_time(number_at(body, 0, order));
        default:
            return 0;
    }
}

}  // namespace

Trailer read_trailer(const Events& events, std::span<const std::uint8_t> body, ByteOrder order) {
    Trailer to;
    const std::uint32_t event = events.of_other(body, order);
    if (event == kNotGiven) {
        return to;
    }
    to.origin.attribute = event;
    to.bytes = std::size_t{events.layout(event).trailer_words} * 8;
    Bytes from(body.last(to.bytes), order);
    const std::uint64_t type = events.all()[event].sample_type;
    if ((type & PERF_SAMPLE_TID) != 0) {
        to.origin.pid = from.u32();
        to.origin.tid = from.u32();
    }
    if ((type & PERF_SAMPLE_TIME) != 0) {
        to.origin.time = given_time(from.u64());
    }
    if ((type & PERF_SAMPLE_ID) != 0) {
        to.id = from.u64();
    }
    if ((type & PERF_SAMPLE_STREAM_ID) != 0) {
        from.u64();
    }
    if ((type & PERF_SAMPLE_CPU) != 0) {
        to.origin.cpu = from.u32();
        from.u32();
    }
    if ((type & PERF_SAMPLE_IDENTIFIER) != 0) {
        to.id = from.u64();
    }
    // perf's own records have a trailer of zeros.
    if (to.origin.time == 0 && to.id == 0) {
        to.origin = {};
    }
    return to;
}

std::optional<std::uint64_t> time_of(const Events& events, const RecordHeader& header,
                                     std::span<const std::uint8_t> record, ByteOrder order) {
    const auto body = record.subspan(kRecordHeader);
    if (header.type == PERF_RECORD_SAMPLE) {
        const std::uint32_t event = events.of_sample(body, order);
        if (event == kNotGiven) {
            return std::nullopt;
        }
        const std::uint32_t at = events.layout(event).sample_time;
        return at != Layout::kNone ? given_time(number_at(body, std::size_t{at} * 8, order)) : 0;
    }
    const std::uint32_t event = events.of_other(body, order);
    if (event != kNotGiven && events.layout(event).trailer_time != 0) {
        const std::size_t from_end = std::size_t{events.layout(event).trailer_time} * 8;
        if (const std::uint64_t time = given_time(number_at(body, body.size() - from_end, order)); time != 0) {
            return time;
        }
    }
    return own_time(header.type, body, order);
}

Mode mode_of(std::uint16_t misc) {
    const unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
    return mode <= PERF_RECORD_MISC_GUEST_USER ? static_cast<Mode>(mode) : Mode::kUnknown;
}

}  // namespace kymo::import::perf
