// Makes perf.data files, in either byte order.
#pragma once

#include "import/perf/bytes.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <linux/perf_event.h>
#include <map>
#include <string>
#include <string_view>
#include <vector>
#include <zstd.h>

namespace kymo::import::perf {

class Writer {
  public:
    explicit Writer(bool swapped) : swapped_(swapped) {}

    template <std::unsigned_integral T>
    Writer& number(T value) {
        value = swapped_ ? swap_bytes(value) : value;
        const auto* const from = reinterpret_cast<const std::uint8_t*>(&value);
        bytes_.insert(bytes_.end(), from, from + sizeof value);
        return *this;
    }
    Writer& u8(std::uint8_t value) { return number(value); }
    Writer& u16(std::uint16_t value) { return number(value); }
    Writer& u32(std::uint32_t value) { return number(value); }
    Writer& u64(std::uint64_t value) { return number(value); }
    Writer& all(const std::vector<std::uint8_t>& bytes) {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        return *this;
    }
    // With its 0, and more up to a multiple of 8 bytes.
    Writer& text(std::string_view text) {
        const std::size_t padded = (text.size() + 8) / 8 * 8;
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        bytes_.resize(bytes_.size() + padded - text.size());
        return *this;
    }
    Writer& counted_text(std::string_view value) {
        u32(static_cast<std::uint32_t>((value.size() + 8) / 8 * 8));
        return text(value);
    }
    [[nodiscard]] bool swapped() const { return swapped_; }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    [[nodiscard]] const std::vector<std::uint8_t>& bytes() const { return bytes_; }

  private:
    bool swapped_;
    std::vector<std::uint8_t> bytes_;
};

// Numbers of the flags of a perf_event_attr, in their order there.
enum Flag : unsigned {
    kFlagInherit = 1,
    kFlagExcludeUser = 4,
    kFlagExcludeKernel = 5,
    kFlagFrequency = 10,
    kFlagPreciseFirst = 15,
    kFlagPreciseSecond = 16,
    kFlagSampleIdAll = 18,
    kFlagUseClockid = 25,
    kFlagContextSwitch = 26,
};

struct Event {
    std::uint32_t type = PERF_TYPE_SOFTWARE;
    std::uint64_t config = PERF_COUNT_SW_TASK_CLOCK;
    std::uint64_t period = 1'000;
    std::uint64_t sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
    std::uint64_t read_format = 0;
    std::vector<unsigned> flags = {kFlagSampleIdAll};
    std::vector<std::uint64_t> ids = {};
    std::uint64_t branch_sample_type = 0;
    std::uint64_t regs_user = 0;
    std::uint64_t regs_intr = 0;
    std::uint32_t stack_user = 0;
    std::int32_t clockid = 0;
    std::uint32_t size = 128;
};

inline std::vector<std::uint8_t> attribute_bytes(const Event& event, bool swapped) {
    Writer to(swapped);
    to.u32(event.type).u32(event.size).u64(event.config).u64(event.period);
    to.u64(event.sample_type).u64(event.read_format);
    std::vector<std::uint8_t> flags(8);
    for (const unsigned flag : event.flags) {
        flags[flag / 8] = static_cast<std::uint8_t>(flags[flag / 8] | 1U << (swapped ? 7 - flag % 8 : flag % 8));
    }
    to.all(flags).u64(0).u64(0x11);
    to.u64(0x22).u64(event.branch_sample_type).u64(event.regs_user);
    to.u32(event.stack_user).u32(static_cast<std::uint32_t>(event.clockid)).u64(event.regs_intr);
    std::vector<std::uint8_t> bytes = to.bytes();
    bytes.resize(event.size, 0xab);
    return bytes;
}

// A record of this body, whose size is made a multiple of 8.
inline std::vector<std::uint8_t> record(bool swapped, std::uint32_t type, std::uint16_t misc, const Writer& body) {
    Writer to(swapped);
    const std::size_t padded = (body.size() + 7) / 8 * 8;
    to.u32(type).u16(misc).u16(static_cast<std::uint16_t>(8 + padded)).all(body.bytes());
    std::vector<std::uint8_t> bytes = to.bytes();
    bytes.resize(8 + padded);
    return bytes;
}

// The records with the bytes as the contents of compressed ones, so many bytes of the stream in each.
inline std::vector<std::uint8_t> compressed(bool swapped, const std::vector<std::uint8_t>& records,
                                            std::size_t in_each, bool second_kind = false) {
    std::vector<std::uint8_t> stream(ZSTD_compressBound(records.size()));
    stream.resize(ZSTD_compress(stream.data(), stream.size(), records.data(), records.size(), 1));
    Writer to(swapped);
    for (std::size_t at = 0; at < stream.size(); at += in_each) {
        const std::size_t count = std::min(in_each, stream.size() - at);
        const std::vector<std::uint8_t> part(stream.begin() + static_cast<std::ptrdiff_t>(at),
                                             stream.begin() + static_cast<std::ptrdiff_t>(at + count));
        if (second_kind) {
            to.all(record(swapped, 83, 0, Writer(swapped).u64(count).all(part)));
        } else {  // not padded
            to.u32(81).u16(0).u16(static_cast<std::uint16_t>(8 + count)).all(part);
        }
    }
    return to.bytes();
}

struct File {
    bool swapped = false;
    std::vector<Event> events = {Event{}};
    std::vector<std::uint8_t> records = {};
    std::map<unsigned, std::vector<std::uint8_t>> features = {};  // by their numbers
    bool finished = true;

    File& add(const std::vector<std::uint8_t>& bytes) {
        records.insert(records.end(), bytes.begin(), bytes.end());
        return *this;
    }

    // As `perf record -o FILE` does: header, ids, attributes, records, the list of features, the features.
    [[nodiscard]] std::vector<std::uint8_t> bytes() const {
        Writer ids(swapped);
        Writer attributes(swapped);
        std::uint32_t size = 0;
        for (const Event& event : events) {
            const std::uint64_t ids_at = 104 + ids.size();
            for (const std::uint64_t id : event.ids) {
                ids.u64(id);
            }
            attributes.all(attribute_bytes(event, swapped)).u64(ids_at).u64(event.ids.size() * 8);
            size = event.size;
        }
        Writer to(swapped);
        const std::uint64_t records_at = 104 + ids.size() + attributes.size();
        const std::string_view magic = swapped ? "2ELIFREP" : "PERFILE2";
        to.all({magic.begin(), magic.end()}).u64(104).u64(size + 16);
        to.u64(104 + ids.size()).u64(attributes.size());
        to.u64(records_at).u64(finished ? records.size() : 0).u64(0).u64(0);
        std::uint64_t words[4] = {};
        for (const auto& [number, unused] : features) {
            words[number / 64] |= std::uint64_t{1} << (number % 64);
        }
        for (const std::uint64_t word : words) {
            to.u64(word);
        }
        to.all(ids.bytes()).all(attributes.bytes()).all(records);
        std::uint64_t at = to.size() + features.size() * 16;
        for (const auto& [number, section] : features) {
            to.u64(at).u64(section.size());
            at += section.size();
        }
        for (const auto& [number, section] : features) {
            to.all(section);
        }
        return to.bytes();
    }

    // As `perf record -o -` does.
    [[nodiscard]] std::vector<std::uint8_t> piped_bytes() const {
        Writer to(swapped);
        const std::string_view magic = swapped ? "2ELIFREP" : "PERFILE2";
        to.all({magic.begin(), magic.end()}).u64(16);
        for (const Event& event : events) {
            Writer body(swapped);
            body.all(attribute_bytes(event, swapped));
            for (const std::uint64_t id : event.ids) {
                body.u64(id);
            }
            to.all(record(swapped, 64, 0, body));
        }
        for (const auto& [number, section] : features) {
            to.all(record(swapped, 80, 0, Writer(swapped).u64(number).all(section)));
        }
        to.all(records);
        return to.bytes();
    }
};

// A sample of an Event as it is by default, with its ip, thread and time.
inline std::vector<std::uint8_t> flat_sample(bool swapped, std::uint64_t ip, std::uint32_t tid, std::uint64_t time) {
    return record(swapped, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
                  Writer(swapped).u64(ip).u32(100).u32(tid).u64(time));
}

}  // namespace kymo::import::perf
