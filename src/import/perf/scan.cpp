#include "import/perf/scan.h"

#include "import/perf/attribute_bytes.h"
#include "import/perf/record_reader.h"
#include "import/perf/record_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <linux/perf_event.h>

namespace kymo::import::perf {
namespace {

constexpr std::uint64_t kMostRatio = 1'024;
constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{64} << 20;
constexpr std::uint64_t kProgressBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kUpdateOfName = 2;
constexpr std::size_t kFirstRecords = 4'096;
constexpr std::size_t kMostGrowth = 64;  // times at once
constexpr double kSpare = 1.05;

}  // namespace

Result<void> Scan::run(const std::function<void(double)>& progress) {
    const std::uint64_t end = header_.data.offset + header_.data.size;
    std::uint64_t at = header_.data.offset;
    std::uint64_t next_progress = at;
    while (at < end) {
        if (progress && at >= next_progress) {
            progress(static_cast<double>(at - header_.data.offset) / static_cast<double>(header_.data.size));
            next_progress = at + kProgressBytes;
        }
        const auto head = end - at >= kRecordHeader ? file_.at(at, kRecordHeader) : std::span<const std::uint8_t>();
        if (head.empty()) {
            to_.skipped.note(fmt::format("the file is cut within a record, at byte {}", at));
            break;
        }
        const RecordHeader header = read_record_header(head, order_);
        if (header.size < kRecordHeader) {
            to_.skipped.note(fmt::format("the file is damaged at byte {}: nothing is read from there on", at));
            break;
        }
        const auto record = header.size <= end - at ? file_.at(at, header.size) : std::span<const std::uint8_t>();
        if (record.empty()) {
            to_.skipped.note(fmt::format("the file is cut within a record, at byte {}", at));
            break;
        }
        std::uint64_t behind = 0;
        Result<void> done;
        if (header.type < kFirstOfPerf) {
            done = kernel(header, record, at);
        } else if (header.type == kCompressed) {
            done = compressed(record.subspan(kRecordHeader));
        } else if (header.type == kCompressed2) {
            Bytes from(record.subspan(kRecordHeader), order_);
            const std::uint64_t size = from.u64();
            done = compressed(from.part(std::min<std::uint64_t>(size, from.left())));
        } else {
            behind = own(header, record);
        }
        if (!done) {
            return done;
        }
        at += header.size;
        if (behind > end - at) {
            to_.skipped.note(fmt::format("the file is cut within a trace, at byte {}", at));
            break;
        }
        at += behind;
    }
    if (!rest_.empty() && !stopped_) {
        to_.skipped.note("the last compressed record is cut");
    }
    return {};
}

// As many records as there are if those behind `at` are as large as those before.
void Scan::make_room(std::uint64_t at) {
    const std::size_t known = to_.places.size();
    const bool is_in_file = (at & Place::kInSpool) == 0 && at > header_.data.offset;
    const double done = is_in_file ? static_cast<double>(at - header_.data.offset) : 0;
    const double all =
        done > 0 ? static_cast<double>(known) * (static_cast<double>(header_.data.size) / done) * kSpare : 0;
    const auto most = static_cast<double>(std::min(kMostRecords, known * kMostGrowth + kFirstRecords));
    to_.places.reserve(std::max(known * 2, static_cast<std::size_t>(std::min(all, most))) + kFirstRecords);
}

Result<void> Scan::kernel(const RecordHeader& header, std::span<const std::uint8_t> record, std::uint64_t at) {
    if (!is_delivered(header.type)) {
        to_.skipped.record(header.type);
        return {};
    }
    const auto time = time_of(to_.events, header, record, order_);
    if (!time) {
        to_.skipped.sample_of_unknown_event();
        return {};
    }
    if (to_.places.size() >= kMostRecords) {
        return Error{ErrorKind::kNoSpace, fmt::format("there are more than {} records", kMostRecords),
                     "record a shorter run, or with fewer samples a second"};
    }
    if (to_.places.size() == to_.places.capacity()) {
        make_room(at);
    }
    to_.places.push_back({*time, at});
    FileFacts& facts = to_.facts;
    ++facts.records;
    if (header.type == PERF_RECORD_SAMPLE) {
        ++facts.samples;
        if (*time != 0) {
            facts.first_time = facts.first_time == 0 ? *time : std::min(facts.first_time, *time);
            facts.last_time = std::max(facts.last_time, *time);
        }
    }
    return {};
}

std::uint64_t Scan::own(const RecordHeader& header, std::span<const std::uint8_t> record) {
    Bytes from(record.subspan(kRecordHeader), order_);
    switch (header.type) {
        case kHeaderAttribute:
            attribute(from, record.subspan(kRecordHeader));
            return 0;
        case kEventUpdate:
            event_update(from);
            return 0;
        case kHeaderFeature: {
            const std::uint64_t number = from.u64();
            if (number > 0 && number < kMostFeatures && from.left() > 0) {  // an empty one ends them
                features_.take(static_cast<unsigned>(number), from);
            }
            return 0;
        }
        case kHeaderBuildId:
            features_.build_id(header, from);
            return 0;
        case kTracingData: {
            to_.skipped.record(header.type);
            const std::uint64_t size = from.u32();
            return (size + 7) / 8 * 8;
        }
        case kAuxTrace: {
            to_.skipped.record(header.type);
            const std::uint64_t size = from.u64();
            to_.skipped.trace(size);
            return size;
        }
        default:
            to_.skipped.record(header.type);
            return 0;
    }
}

// An event of a file that was piped: its attribute and its ids.
void Scan::attribute(Bytes from, std::span<const std::uint8_t> record) {
    const auto size = attribute_size(record, order_);
    if (!size) {
        to_.skipped.malformed();
        return;
    }
    Attribute attribute = read_attribute(from.part(*size), order_);
    attribute.ids.resize(from.left() / 8);
    from.numbers(attribute.ids.size(), attribute.ids.data());
    if (!to_.events.add(std::move(attribute))) {
        to_.skipped.malformed();
    }
}

void Scan::event_update(Bytes from) {
    const std::uint64_t kind = from.u64();
    const std::uint32_t event = to_.events.by_id(from.u64());
    if (const std::string_view name = from.text(); kind == kUpdateOfName && event != kNotGiven && !name.empty()) {
        to_.events.all()[event].name = name;
    }
}

Result<void> Scan::compressed(std::span<const std::uint8_t> bytes) {
    to_.facts.compressed = true;
    if (stopped_) {
        return {};
    }
    if (!decompressor_) {
        auto spool = Spool::make();
        if (!spool) {
            return spool.error();
        }
        to_.decompressed = std::move(*spool);
        decompressor_.emplace();
    }
    compressed_ += bytes.size();
    given_.assign(bytes.begin(), bytes.end());  // those of the file may change while they are read
    decompressor_->give(given_);
    for (auto part = decompressor_->take(); !part.empty() && !stopped_; part = decompressor_->take()) {
        if (auto done = decompressed(part); !done) {
            return done;
        }
    }
    if (decompressor_->damaged() && !stopped_) {
        stop_decompressing("are damaged");
    }
    return {};
}

Result<void> Scan::decompressed(std::span<const std::uint8_t> part) {
    const std::uint64_t all = to_.decompressed->size() + part.size();
    if (!to_.decompressed->has_room(part.size()) || (all > kAlwaysAllowed && all / kMostRatio > compressed_)) {
        stop_decompressing("hold more than is read");
        return {};
    }
    if (auto done = to_.decompressed->append(part); !done) {
        return done;
    }
    rest_.insert(rest_.end(), part.begin(), part.end());
    return records_of_parts();
}

Result<void> Scan::records_of_parts() {
    std::size_t at = 0;
    while (rest_.size() - at >= kRecordHeader) {
        const std::span<const std::uint8_t> left = std::span(rest_).subspan(at);
        const RecordHeader header = read_record_header(left, order_);
        if (header.size < kRecordHeader) {
            stop_decompressing("are damaged");
            return {};
        }
        if (header.size > left.size()) {
            break;
        }
        if (header.type < kFirstOfPerf) {
            if (auto done = kernel(header, left.first(header.size), Place::kInSpool | (rest_at_ + at)); !done) {
                return done;
            }
        } else if (header.type == kCompressed || header.type == kCompressed2) {
            to_.skipped.malformed();  // perf compresses but once
        } else if (own(header, left.first(header.size)) != 0) {
            stop_decompressing("hold a trace");  // perf does not compress these
            return {};
        }
        at += header.size;
    }
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(at));
    rest_at_ += at;
    return {};
}

void Scan::stop_decompressing(const char* why) {
    stopped_ = true;
    to_.skipped.note(fmt::format("compressed records {}: nothing is read from there on", why));
}

}  // namespace kymo::import::perf
