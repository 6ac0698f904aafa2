// What the reader makes of other versions, other producers' tables, and files cut or overwritten.

#include "file_image.h"
#include "recording/crc.h"
#include "rows.h"
#include "temporary_folder.h"

#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::recording {
namespace {

using testing::Bytes;
using testing::describe;
using testing::gather;
using testing::RowsByStream;
using testing::TemporaryFolder;

Result<File> open_bytes(const TemporaryFolder& folder, const Bytes& bytes) {
    bytes.save(folder / "a.krec");
    return File::open(folder / "a.krec");
}

Bytes two_marks(bool packed) {
    const Bytes payload =
        Bytes().raw(testing::mark_schema()).raw(testing::mark(5, "one")).raw(testing::mark(5, "two"));
    return testing::chunk(3, payload, packed);
}

TEST(Reader, RefusesANewerMajorVersion) {
    const TemporaryFolder folder;
    FileHeader header = testing::small_header(true);
    header.major = 2;
    const auto file = open_bytes(folder, testing::file(header, two_marks(true)));
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().kind, ErrorKind::kNewerFormat);
    EXPECT_NE(file.error().what.find("a.krec"), std::string::npos);
    EXPECT_FALSE(file.error().next.empty());
}

TEST(Reader, ReadsOnAtANewerMinorVersionAndAnyMachine) {
    const TemporaryFolder folder;
    FileHeader header = testing::small_header(true);
    header.minor = 9;
    header.machine = 183;  // aarch64
    const auto file = open_bytes(folder, testing::file(header, two_marks(true)));
    ASSERT_TRUE(file) << file.error().what;
    EXPECT_EQ(file->header().minor, 9);
    EXPECT_EQ(file->header().machine, 183);
    RowsByStream rows;
    ASSERT_TRUE(gather(*file, rows));
    EXPECT_EQ(rows[3].size(), 2U);
}

// ---- tables and columns of other producers -------------------------------------------------------

struct Weather {
    std::uint64_t time = 0;
    double celsius = 0;
    std::string_view words = {};
    std::span<const std::uint64_t> gusts = {};
    std::int64_t altitude = 0;
    static constexpr const char* kTable = "weather";
    static constexpr std::uint32_t kTableId = 900;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Weather::time);
        visit("celsius", ColumnType::kReal, "", &Weather::celsius);
        visit("words", ColumnType::kText, "", &Weather::words);
        visit("gusts", ColumnType::kUintList, "", &Weather::gusts);
        visit("altitude", ColumnType::kInt, "", &Weather::altitude);
    }
};

constexpr std::array<std::uint64_t, 3> kGusts = {7, 500, 1};

void write_weather(const std::filesystem::path& path) {
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {}), 0);
    StreamWriter stream;
    stream.open(writer, StreamId{4});
    ASSERT_TRUE(write_schema<Weather>(stream));
    ASSERT_TRUE(write_schema<Mark>(stream));
    for (std::uint64_t i = 1; i <= 3; ++i) {
        ASSERT_TRUE(stream.append(Weather{100 * i, -1.5, "windy", kGusts, -30}));
        ASSERT_TRUE(stream.append(Mark{.time = i}));
    }
    ASSERT_EQ(writer.close(), 0);
}

TEST(Reader, ATableNeverHeardOfIsSkippedAndListed) {
    const TemporaryFolder folder;
    write_weather(folder / "a.krec");
    const auto file = File::open(folder / "a.krec");
    ASSERT_TRUE(file);
    std::vector<std::uint64_t> times;
    const auto report = file->scan(on<Mark>([&](StreamId, const Mark& mark) { times.push_back(mark.time); }));
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(times, (std::vector<std::uint64_t>{1, 2, 3}));
    EXPECT_EQ(report->unknown, (std::vector<TableRows>{{"weather", 3}}));
    EXPECT_EQ(report->rows("weather"), 3U);
    EXPECT_EQ(report->rows("mark"), 3U);
    // With a handler it is not unknown.
    std::vector<std::string> rows;
    const auto known = file->scan(on<Weather>([&](StreamId, const Weather& row) { rows.push_back(describe(row)); }));
    ASSERT_TRUE(known);
    EXPECT_TRUE(known->unknown.empty());
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[2], describe(Weather{300, -1.5, "windy", kGusts, -30}));
}

TEST(Reader, TablesDescribeThemselves) {
    const TemporaryFolder folder;
    write_weather(folder / "a.krec");
    const auto file = File::open(folder / "a.krec");
    ASSERT_TRUE(file);
    const auto tables = file->tables();
    ASSERT_TRUE(tables);
    ASSERT_EQ(tables->size(), 2U);
    const TableInfo& weather = tables->front();
    EXPECT_EQ(weather.rows, 3U);
    EXPECT_EQ(weather.schema.name, "weather");
    EXPECT_EQ(weather.schema.number, 900U);
    EXPECT_EQ(weather.schema.columns, (std::vector<Column>{{"time", ColumnType::kDelta, "ns"},
                                                           {"celsius", ColumnType::kReal, ""},
                                                           {"words", ColumnType::kText, ""},
                                                           {"gusts", ColumnType::kUintList, ""},
                                                           {"altitude", ColumnType::kInt, ""}}));
}

// What an older Kymo knew of the table; and one that knows more, in another order, and one thing otherwise.
struct OldWeather {
    std::uint64_t time = 0;
    double celsius = 0;
    static constexpr const char* kTable = "weather";
    static constexpr std::uint32_t kTableId = 33;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &OldWeather::time);
        visit("celsius", ColumnType::kReal, "", &OldWeather::celsius);
    }
};

struct OtherWeather {
    std::uint64_t humidity = 5;  // the file has none
    std::int64_t altitude = 0;
    std::uint64_t words = 6;  // the file has text
    std::span<const std::uint64_t> gusts = {};
    std::uint64_t time = 0;
    static constexpr const char* kTable = "weather";
    static constexpr std::uint32_t kTableId = 34;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("humidity", ColumnType::kUint, "", &OtherWeather::humidity);
        visit("altitude", ColumnType::kInt, "", &OtherWeather::altitude);
        visit("words", ColumnType::kUint, "", &OtherWeather::words);
        visit("gusts", ColumnType::kUintList, "", &OtherWeather::gusts);
        visit("time", ColumnType::kUint, "ns", &OtherWeather::time);
    }
};

TEST(Reader, ColumnsAreMatchedByName) {
    const TemporaryFolder folder;
    write_weather(folder / "a.krec");
    const auto file = File::open(folder / "a.krec");
    ASSERT_TRUE(file);
    std::vector<std::uint64_t> times;
    unsigned others = 0;
    const auto report = file->scan(on<OldWeather>([&](StreamId, const OldWeather& row) {
                                       times.push_back(row.time);
                                       EXPECT_EQ(row.celsius, -1.5);
                                   }),
                                   on<OtherWeather>([&](StreamId, const OtherWeather& row) {
                                       EXPECT_EQ(row.time, 100 * ++others);
                                       EXPECT_EQ(row.altitude, -30);
                                       EXPECT_EQ(std::vector<std::uint64_t>(row.gusts.begin(), row.gusts.end()),
                                                 std::vector<std::uint64_t>(kGusts.begin(), kGusts.end()));
                                       EXPECT_EQ(row.humidity, 5U);  // stays as Row has it by default
                                       EXPECT_EQ(row.words, 6U);
                                   }));
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(times, (std::vector<std::uint64_t>{100, 200, 300}));
    EXPECT_EQ(others, 3U);
}

TEST(Reader, AShortBodyLeavesTheRestEmptyAndALongOneIsCut) {
    const TemporaryFolder folder;
    Bytes payload;
    payload.raw(testing::mark_schema());
    payload.raw(testing::record(26, Bytes()));
    payload.raw(testing::record(26, Bytes().varint(10).varint(2)));
    payload.raw(testing::record(26, Bytes().varint(10).varint(2).text("n").varint(1).raw("whatever comes later")));
    const auto file =
        open_bytes(folder, testing::file(testing::small_header(true), testing::chunk(3, payload, true)));
    ASSERT_TRUE(file);
    RowsByStream rows;
    const auto report = gather(*file, rows);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(rows[3], (std::vector<std::string>{describe(Mark{}), describe(Mark{.time = 5, .kind = 2}),
                                                 describe(Mark{.time = 10, .kind = 2, .name = "n", .value = -1})}));
}

TEST(Reader, RowsMayComeBeforeTheirDescription) {
    const TemporaryFolder folder;
    const Bytes row = testing::mark(5, "early");
    Bytes chunks;
    chunks.raw(testing::chunk(3, row, true));
    chunks.raw(testing::chunk(4, Bytes().raw(row).raw(testing::mark_schema()).raw(row), true));
    const auto file = open_bytes(folder, testing::file(testing::small_header(true), chunks));
    ASSERT_TRUE(file);
    RowsByStream rows;
    const auto report = gather(*file, rows);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(rows[3].size(), 1U);
    EXPECT_EQ(rows[4].size(), 2U);
}

TEST(Reader, AColumnOfUnknownTypeEndsWhatIsRead) {
    const TemporaryFolder folder;
    Bytes payload;
    payload.raw(testing::schema(26, "mark",
                                {{"time", ColumnType::kDelta, "ns"},
                                 {"colour", static_cast<ColumnType>(99), ""},
                                 {"kind", ColumnType::kUint, ""}}));
    payload.raw(testing::record(26, Bytes().varint(10).raw("????????")));
    const auto file =
        open_bytes(folder, testing::file(testing::small_header(true), testing::chunk(3, payload, true)));
    ASSERT_TRUE(file);
    RowsByStream rows;
    const auto report = gather(*file, rows);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(rows[3], (std::vector<std::string>{describe(Mark{.time = 5})}));
}

TEST(Reader, MoreTablesThanAreKeptAreCountedTogether) {
    const TemporaryFolder folder;
    Bytes payload;
    for (std::uint64_t number = 2; number < 5000; ++number) {
        payload.raw(testing::record(number * 1'000'003, Bytes()));
    }
    const auto file =
        open_bytes(folder, testing::file(testing::small_header(true), testing::chunk(3, payload, true)));
    ASSERT_TRUE(file);
    const auto report = file->scan();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->unknown.size(), kMaxTables + 1);
    EXPECT_EQ(report->rows("further tables"), 4998 - kMaxTables);
}

// ---- damage ----------------------------------------------------------------------------------------

// A real file of several chunks and streams.
RowsByStream write_sample_file(const std::filesystem::path& path) {
    RowsByStream written;
    FileWriter writer;
    EXPECT_EQ(writer.create(path.c_str(), {}), 0);
    StreamWriter own;
    own.open(writer, StreamId{0});
    EXPECT_TRUE(write_schemas(own));
    for (std::uint32_t id = 1; id <= 4; ++id) {
        StreamWriter stream;
        stream.open(writer, StreamId{id});
        for (std::uint64_t i = 0; i < 1500 * id; ++i) {
            const Sample sample{.time = i * i, .context = i % 100, .deltas = kGusts};
            EXPECT_TRUE(stream.append(sample));
            written[id].push_back(describe(sample));
        }
        stream.release();
    }
    EXPECT_EQ(writer.close(), 0);
    return written;
}

void expect_prefixes(const RowsByStream& read, const RowsByStream& written) {
    for (const auto& [stream, rows] : read) {
        const auto& all = written.at(stream);
        ASSERT_LE(rows.size(), all.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            ASSERT_EQ(rows[i], all[i]) << "stream " << stream << " row " << i;
        }
    }
}

TEST(Reader, AFileCutAnywhereReadsUpToTheCut) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    const RowsByStream written = write_sample_file(path);
    const std::uint64_t size = std::filesystem::file_size(path);
    for (std::uint64_t cut = size - 1;; cut = cut > 4'999 ? cut - 4'999 : cut - 1) {
        std::filesystem::resize_file(path, cut);
        const auto file = File::open(path);
        if (!file) {
            EXPECT_LT(cut, sizeof(FileHeader));
            EXPECT_EQ(file.error().kind, ErrorKind::kMalformed);
            if (cut == 0) {
                break;
            }
            cut = cut > 10 ? cut - 9 : cut;
            continue;
        }
        RowsByStream read;
        const auto report = gather(*file, read);
        ASSERT_TRUE(report);
        EXPECT_FALSE(report->whole());
        expect_prefixes(read, written);
        if (cut > 2 * kChunkBytes) {
            EXPECT_FALSE(read.empty());
        }
        cut = cut < 200 ? cut : cut - cut % 8;
    }
}

TEST(Reader, OneDamagedChunkCostsOnlyItsOwnRows) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    const RowsByStream written = write_sample_file(path);
    // The magic of the first chunk that begins with stream 3.
    std::fstream bytes(path, std::ios::in | std::ios::out | std::ios::binary);
    std::uint64_t damaged = kHeaderBytes;
    ChunkHeader header{};
    while (bytes.seekg(static_cast<std::streamoff>(damaged)).read(reinterpret_cast<char*>(&header), sizeof header) &&
           header.stream != 3) {
        damaged += header.capacity;
    }
    bytes.seekp(static_cast<std::streamoff>(damaged)).put('X');
    bytes.close();
    const auto file = File::open(path);
    ASSERT_TRUE(file);
    RowsByStream read;
    const auto report = gather(*file, read);
    ASSERT_TRUE(report);
    ASSERT_EQ(report->damages, 1U);
    EXPECT_EQ(report->damaged[0].offset, damaged);
    EXPECT_EQ(report->damaged[0].bytes, header.capacity);
    EXPECT_EQ(read[1], written.at(1));
    EXPECT_EQ(read[2], written.at(2));
    EXPECT_LT(read[3].size() + read[4].size(), written.at(3).size() + written.at(4).size());
}

TEST(Reader, ChunksClaimedAndNeverBegunAreNoDamage) {
    const TemporaryFolder folder;
    Bytes chunks;
    chunks.zeros(2 * kMinGridBytes).raw(two_marks(false)).zeros(kMinGridBytes);
    const auto file = open_bytes(folder, testing::file(testing::small_header(false), chunks));
    ASSERT_TRUE(file);
    RowsByStream rows;
    const auto report = gather(*file, rows);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(rows[3].size(), 2U);
}

TEST(Reader, WhatCannotBeOpenedIsSaidClearly) {
    const TemporaryFolder folder;
    EXPECT_EQ(File::open(folder / "none.krec").error().kind, ErrorKind::kNotFound);
    EXPECT_EQ(File::open(folder.path()).error().kind, ErrorKind::kMalformed);
    ASSERT_EQ(mkfifo((folder / "pipe.krec").c_str(), 0600), 0);
    EXPECT_EQ(File::open(folder / "pipe.krec").error().kind, ErrorKind::kMalformed);
    std::ofstream(folder / "text.krec") << "#!/bin/sh\necho this is something else\n" << std::string(200, '#');
    EXPECT_NE(File::open(folder / "text.krec").error().what.find("is not a Kymo recording"), std::string::npos);
    std::ofstream(folder / "short.krec") << "text";
    EXPECT_NE(File::open(folder / "short.krec").error().what.find("is not a Kymo recording"), std::string::npos);
    std::ofstream(folder / "empty.krec");
    EXPECT_NE(File::open(folder / "empty.krec").error().what.find("empty"), std::string::npos);
    if (geteuid() != 0) {
        chmod((folder / "text.krec").c_str(), 0);
        EXPECT_EQ(File::open(folder / "text.krec").error().kind, ErrorKind::kPermission);
    }
}

// ---- the checksum ------------------------------------------------------------------------------------

TEST(ChunkCrc, AllWaysAgree) {
    std::mt19937 random(3);
    std::vector<std::uint8_t> bytes(3000);
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(random());
    }
    for (std::size_t begin = 0; begin < 9; ++begin) {
        for (std::size_t size = 0; begin + size <= bytes.size(); size += 1 + size / 3) {
            const std::span<const std::uint8_t> piece(bytes.data() + begin, size);
            const std::uint32_t expected = crc32c(piece.data(), piece.size());
            EXPECT_EQ(crc_by_tables(piece), expected);
            EXPECT_EQ(chunk_crc(piece), expected);
            if (has_crc_instruction()) {
                EXPECT_EQ(crc_by_instruction(piece), expected);
            }
        }
    }
}

}  // namespace
}  // namespace kymo::recording
