#include "import/perf/file_header.h"

#include "import/perf/attribute_bytes.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <string_view>

namespace kymo::import::perf {
namespace {

constexpr std::size_t kPipeHeader = 16;
constexpr std::size_t kWithoutFeatures = 72;
constexpr std::size_t kWithFeatures = kWithoutFeatures + kMostFeatures / 8;
constexpr std::size_t kSectionBytes = 16;
constexpr std::size_t kMostAttributeBytes = 32 << 10;

Error not_perf(const std::string& name, std::string_view why) {
    return {ErrorKind::kMalformed, fmt::format("{} is not a perf.data file: {}", name, why),
            "perf record -o FILE makes one"};
}

Error damaged(const std::string& name, std::string_view why) {
    return {ErrorKind::kMalformed, fmt::format("{} is damaged: {}", name, why), "record again"};
}

std::string_view as_text(std::span<const std::uint8_t> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Section read_section(Bytes& from) {
    const std::uint64_t offset = from.u64();
    return {offset, from.u64()};
}

bool is_within(const Section& section, std::uint64_t size) {
    return section.offset <= size && section.size <= size - section.offset;
}

// The bits of 64-bit words. A 32-bit machine wrote words of 32 bits, of which a big-endian one's are then swapped in
// pairs; as all of perf's files have a host name, its bit tells.
std::vector<unsigned> features_of(std::span<const std::uint8_t> bytes, ByteOrder order) {
    const auto has = [&](unsigned bit, unsigned word_bytes) {
        const std::size_t word = bit / 8 / word_bytes * word_bytes;
        const unsigned in_word = bit / 8 % word_bytes;
        return (bytes[word + (order.big ? word_bytes - 1 - in_word : in_word)] >> (bit % 8) & 1) != 0;
    };
    const unsigned word_bytes = has(kHostnameFeature, 8) || !has(kHostnameFeature, 4) ? 8 : 4;
    std::vector<unsigned> to;
    for (unsigned bit = 1; bit < kMostFeatures; ++bit) {
        if (has(bit, word_bytes)) {
            to.push_back(bit);
        }
    }
    return to;
}

void settle_data(const BlockFile& file, FileHeader& header, Skipped& skipped) {
    Section& data = header.data;
    if (data.size == 0) {
        data.size = file.size() - data.offset;
        header.features.clear();
        skipped.note("perf did not finish the file: the names of its events and facts about the machine are missing");
    } else if (data.size > file.size() - data.offset) {
        skipped.note(
            fmt::format("the file is cut: {} bytes of records are missing", data.size - (file.size() - data.offset)));
        data.size = file.size() - data.offset;
        header.features.clear();
    }
}

}  // namespace

Result<FileHeader> read_file_header(BlockFile& file, const std::string& name, Skipped& skipped) {
    const auto first = file.at(0, kPipeHeader);
    if (first.empty()) {
        return not_perf(name, file.size() == 0 ? "it is empty" : "it is too short");
    }
    const std::string_view magic = as_text(first.first(8));
    if (magic == "PERFFILE" || magic == "ELIFFREP") {
        return Error{ErrorKind::kUnsupported, fmt::format("{} is of perf before 2.6.33", name),
                     "record with a newer perf"};
    }
    if (magic != "PERFILE2" && magic != "2ELIFREP") {
        return not_perf(name, "it does not begin like one");
    }
    FileHeader to;
    to.order.big = magic == "2ELIFREP";
    to.order.swapped = to.order.big != (std::endian::native == std::endian::big);
    const std::uint64_t size = Bytes(first.subspan(8), to.order).u64();
    if (size == kPipeHeader) {
        to.pipe = true;
        to.data = {kPipeHeader, file.size() - kPipeHeader};
        return to;
    }
    const auto all = file.at(0, size >= kWithFeatures ? kWithFeatures : kWithoutFeatures);
    if (size < kWithoutFeatures || all.empty()) {
        return damaged(name, "its header is cut");
    }
    Bytes from(all.subspan(kPipeHeader), to.order);
    to.attribute_bytes = from.u64();
    to.attributes = read_section(from);
    to.data = read_section(from);
    read_section(from);  // names of event types, of older files
    if (to.data.offset > file.size()) {
        return damaged(name, "its records are beyond its end");
    }
    if (size >= kWithFeatures) {
        to.features = features_of(all.subspan(kWithoutFeatures), to.order);
    }
    settle_data(file, to, skipped);
    return to;
}

Result<void> read_events(BlockFile& file, const FileHeader& header, const std::string& name, Events& to) {
    const std::uint64_t entry = header.attribute_bytes;
    if (entry < kSmallestAttribute + kSectionBytes || entry > kMostAttributeBytes ||
        !is_within(header.attributes, file.size())) {
        return damaged(name, "its list of events makes no sense");
    }
    const std::uint64_t count = header.attributes.size / entry;
    std::vector<std::uint64_t> ids;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto bytes = file.at(header.attributes.offset + i * entry, static_cast<std::size_t>(entry));
        if (bytes.empty()) {
            return damaged(name, "its list of events cannot be read");
        }
        Attribute attribute = read_attribute(bytes.first(bytes.size() - kSectionBytes), header.order);
        Bytes behind(bytes.last(kSectionBytes), header.order);
        const Section section = read_section(behind);
        if (!is_within(section, file.size()) || section.size / 8 > Events::kMostIds) {
            return damaged(name, "the ids of an event are beyond its end");
        }
        for (std::uint64_t at = 0; at + 8 <= section.size; at += 8) {
            attribute.ids.push_back(Bytes(file.at(section.offset + at, 8), header.order).u64());
        }
        if (!to.add(std::move(attribute))) {
            return damaged(name, "it has more events than any perf makes");
        }
    }
    return to.all().empty() ? damaged(name, "it has no events") : Result<void>();
}

void read_features(BlockFile& file, const FileHeader& header, Features& to) {
    std::uint64_t entry = header.data.offset + header.data.size;
    for (const unsigned number : header.features) {
        const auto listed = file.at(entry, kSectionBytes);
        if (listed.empty()) {
            return;
        }
        entry += kSectionBytes;
        Bytes from(listed, header.order);
        const Section section = read_section(from);
        const bool read = is_read(number) && is_within(section, file.size());
        const auto size = read ? std::min<std::uint64_t>(section.size, kMostFeatureBytes) : 0;
        to.take(number, Bytes(file.at(section.offset, static_cast<std::size_t>(size)), header.order));
    }
}

}  // namespace kymo::import::perf
