#include "bad_inputs.h"

#include <functional>
#include <utility>

namespace kymo::testing {

namespace {

using recording::ChunkHeader;
using recording::FileHeader;

// A sound chunk with the description and one mark: what the reader must still find beside a bad one.
Bytes sound_chunk(bool packed) {
    return chunk(9, Bytes().raw(mark_schema()).raw(mark(5, "sound")), packed);
}

Bytes bad_header(const std::function<void(FileHeader&)>& spoil) {
    FileHeader header = small_header(true);
    spoil(header);
    return file(header, sound_chunk(true));
}

// Two marks in a chunk whose header is spoilt, then a sound chunk.
Bytes bad_chunk(bool packed, const std::function<void(ChunkHeader&)>& spoil) {
    const Bytes payload = Bytes().raw(mark(5, "bad")).raw(mark(5, "bad"));
    ChunkHeader header = chunk_header(3, payload, packed);
    spoil(header);
    return file(small_header(packed), Bytes().raw(with_header(header, payload, packed)).raw(sound_chunk(packed)));
}

// One good mark, a bad record and another mark in a chunk with right checksums, then a sound chunk.
Bytes bad_record(const Bytes& bad) {
    const Bytes payload = Bytes().raw(mark_schema()).raw(mark(5, "good")).raw(bad).raw(mark(5, "behind"));
    return file(small_header(true), Bytes().raw(chunk(3, payload, true)).raw(sound_chunk(true)));
}

Bytes description(const Bytes& body) {
    return record(recording::kSchemaTable, body);
}

void add_headers(std::vector<BadInput>& all) {
    const Bytes good = file(small_header(true), sound_chunk(true));
    Bytes crc = good;
    crc[96] ^= 1U;
    all.push_back({.name = "empty", .bytes = {}, .says = "is empty"});
    all.push_back({.name = "header-all-zero", .bytes = Bytes().zeros(200), .says = "holds nothing"});
    all.push_back({.name = "header-cut", .bytes = good.first(50), .says = "cut off inside its header"});
    all.push_back({.name = "header-checksum", .bytes = crc, .says = "header's checksum"});
    all.push_back({.name = "magic", .bytes = bad_header([](auto& h) { h.magic[0] = 'k'; }), .says = "wrong magic"});
    all.push_back({.name = "text-file", .bytes = Bytes().raw("recorded nothing\n"), .says = "wrong magic"});
    all.push_back({.name = "version-0", .bytes = bad_header([](auto& h) { h.major = 0; }), .says = "version 0"});
    all.push_back({.name = "version-newer",
                   .bytes = bad_header([](auto& h) { h.major = 0xFFFF; }),
                   .says = "format version 65535"});
    all.push_back(
        {.name = "header-size-0", .bytes = bad_header([](auto& h) { h.header_bytes = 0; }), .says = "header size"});
    all.push_back({.name = "header-size-odd",
                   .bytes = bad_header([](auto& h) { h.header_bytes = 129; }),
                   .says = "header size"});
    all.push_back({.name = "header-size-4-gib",
                   .bytes = bad_header([](auto& h) { h.header_bytes = 0xFFFFFFF8; }),
                   .says = "header size"});
    all.push_back({.name = "grid-0", .bytes = bad_header([](auto& h) { h.chunk_bytes = 0; }), .says = "chunk size"});
    all.push_back({.name = "producer-too-long",
                   .bytes = bad_header([](auto& h) { h.producer_bytes = 65; }),
                   .says = "producer's name"});
    all.push_back({.name = "clock-unknown", .bytes = bad_header([](auto& h) { h.clock = 200; }), .says = "clock"});
}

void add_chunks(std::vector<BadInput>& all) {
    const auto add = [&](const char* name, bool packed, const std::function<void(ChunkHeader&)>& spoil) {
        all.push_back(
            {.name = name, .bytes = bad_chunk(packed, spoil), .says = "not a chunk", .opens = true, .rows_left = 1});
    };
    add("chunk-magic", false, [](auto& h) { h.magic ^= 0x20U; });
    add("chunk-magic-packed", true, [](auto& h) { h.magic ^= 0x20U; });
    add("chunk-capacity-0", false, [](auto& h) { h.capacity = 0; });
    add("chunk-capacity-0-packed", true, [](auto& h) { h.capacity = 0; });
    add("chunk-capacity-below-header", true, [](auto& h) { h.capacity = 24; });
    add("chunk-capacity-4-gib", false, [](auto& h) { h.capacity = 0xFFFFFC00; });
    add("chunk-capacity-odd-packed", true, [](auto& h) { h.capacity += 1; });
    add("chunk-overlaps-the-next", false, [](auto& h) { h.capacity += 512; });
    add("chunk-committed-beyond-capacity", false, [](auto& h) { h.committed = h.capacity; });
    add("chunk-committed-4-gib-packed", true, [](auto& h) { h.committed = 0xFFFFFFFF; });
    all.push_back({.name = "chunk-payload-checksum",
                   .bytes = bad_chunk(true, [](auto& h) { h.payload_crc ^= 1U; }),
                   .says = "checksum does not match",
                   .opens = true,
                   .rows_left = 1});
    const Bytes two = file(small_header(true), Bytes().raw(sound_chunk(true)).raw(sound_chunk(true)));
    const std::size_t second = recording::kMinHeaderBytes + sound_chunk(true).size();
    all.push_back({.name = "cut-in-chunk-header",
                   .bytes = two.first(second + 20),
                   .says = "cut off",
                   .opens = true,
                   .rows_left = 1});
    all.push_back({.name = "cut-in-payload",
                   .bytes = two.first(second + 40),
                   .says = "cut off",
                   .opens = true,
                   .rows_left = 1});
    Bytes spoilt = two;
    spoilt[recording::kMinHeaderBytes + 28] ^= 1U;
    all.push_back(
        {.name = "chunk-header-checksum", .bytes = spoilt, .says = "not a chunk", .opens = true, .rows_left = 1});
}

void add_records(std::vector<BadInput>& all) {
    // What is behind the bad record in its chunk is lost.
    const auto ends_chunk = [&](const char* name, const char* says, const Bytes& bad) {
        all.push_back({.name = name, .bytes = bad_record(bad), .says = says, .opens = true, .rows_left = 2});
    };
    const std::string_view too_long = "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F";
    ends_chunk("record-length-beyond-chunk", "longer than its chunk", Bytes().varint(26).varint(5000));
    ends_chunk("record-length-16-eib", "longer than its chunk", Bytes().varint(26).varint(~std::uint64_t{0}));
    ends_chunk("record-length-over-64-bits", "longer than its chunk", Bytes().varint(26).raw(too_long));
    ends_chunk("record-number-over-64-bits", "longer than its chunk", Bytes().raw(too_long).varint(0));
    ends_chunk("row-varint-cut", "malformed row", record(26, Bytes().byte(0x80)));
    ends_chunk("row-text-beyond-body", "malformed row", record(26, Bytes().varint(0).varint(0).varint(4)));
    ends_chunk("row-text-16-eib", "malformed row", record(26, Bytes().varint(0).varint(0).varint(~std::uint64_t{0})));
    ends_chunk("stream-marker-empty", "stream marker", record(1, Bytes()));
    ends_chunk("stream-marker-over-32-bits", "stream marker", record(1, Bytes().varint(1ULL << 32U)));
    using recording::ColumnType;
    const Bytes ends = schema(20, "stream-end", {{"totals", ColumnType::kUintList, ""}});
    ends_chunk("row-list-of-16-eib", "malformed row",
               Bytes().raw(ends).raw(record(20, Bytes().varint(~std::uint64_t{0}).varint(1))));
    ends_chunk("row-list-cut", "malformed row", Bytes().raw(ends).raw(record(20, Bytes().varint(2).varint(1))));
    // Rows behind a bad description are read.
    const auto goes_on = [&](const char* name, const char* says, const Bytes& bad) {
        all.push_back({.name = name, .bytes = bad_record(bad), .says = says, .opens = true, .rows_left = 3});
    };
    const char* const malformed = "malformed description";
    goes_on("description-empty", malformed, description(Bytes()));
    goes_on("description-cut", malformed, description(Bytes().varint(30).text("x").varint(2).text("a").byte(1)));
    goes_on("description-without-name", malformed, description(Bytes().varint(30).text("").varint(0)));
    goes_on("description-name-beyond-body", malformed, description(Bytes().varint(30).varint(200)));
    goes_on("description-name-too-long", malformed,
            description(Bytes().varint(30).text(std::string(256, 'n')).varint(0)));
    goes_on("description-of-16-ei-columns", malformed,
            description(Bytes().varint(30).text("x").varint(~std::uint64_t{0})));
    goes_on("description-of-table-0", malformed, description(Bytes().varint(0).text("x").varint(0)));
    goes_on("description-of-table-1", malformed, description(Bytes().varint(1).text("x").varint(0)));
    goes_on("described-twice-differently", "described twice", description(Bytes().varint(26).text("x").varint(0)));
}

}  // namespace

std::vector<BadInput> bad_inputs() {
    std::vector<BadInput> all;
    add_headers(all);
    add_chunks(all);
    add_records(all);
    return all;
}

}  // namespace kymo::testing
